import { decodeSteps } from './decode-steps.ts';
import { BadScript, type Step } from './steps.ts';

const OPENING = '[[fake:';
const CLOSING = ']]';

/**
 * Returns a prompt that contains a script for the model.
 *
 * @example script([{ shell: 'echo hi' }, { message: 'done' }], 'Please greet.')
 */
export function script(steps: readonly Step[], text = ''): string {
  return `${text}${OPENING}${JSON.stringify(steps)}${CLOSING}`;
}

/** Returns the steps of the first script in a text, or undefined if there is none. */
export function readScript(text: string): readonly Step[] | undefined {
  const opening = text.indexOf(OPENING);
  if (opening === -1) return undefined;
  const from = opening + OPENING.length;
  const end = endOfList(text, from);
  if (end === undefined || !text.startsWith(CLOSING, end)) {
    throw new BadScript(`the script does not end with "]${CLOSING}"`);
  }
  return decodeSteps(parse(text.slice(from, end)));
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new BadScript(`the script is not JSON: ${cause instanceof Error ? cause.message : 'unreadable'}`, { cause });
  }
}

/** Counts brackets outside strings, because an argument may itself contain a script. */
function endOfList(text: string, from: number): number | undefined {
  let depth = 0;
  for (const { 0: token, index } of text.slice(from).matchAll(/"(?:[^"\\]|\\.)*"|[[\]{}]/gs)) {
    if (token === '[' || token === '{') depth += 1;
    if (token === ']' || token === '}') depth -= 1;
    if (depth <= 0) return from + index + 1;
  }
  return undefined;
}
