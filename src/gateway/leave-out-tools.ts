import { type Frame, frameBytes } from '../wire/frame.ts';
import { RawJson, resultText } from '../wire/messages.ts';
import { rawMember, scanElements, scanMembers } from '../wire/scan.ts';
import { isNamed } from '../wire/splice.ts';

/**
 * The answer of a server to `tools/list` without its hidden tools; everything else as the server wrote it. Undefined when
 * nothing has to be left out.
 */
export function leaveOutTools(frame: Frame, idText: string, isHidden: (tool: string) => boolean): string | undefined {
  const result = Buffer.from(rawMember(frameBytes(frame), 'result') ?? '');
  const members = scanMembers(result) ?? [];
  const list = Buffer.from(rawMember(result, 'tools') ?? '');
  if (list[0] !== OPEN_BRACKET) return undefined;
  const tools = scanElements(list).map(({ start, end }) => list.subarray(start, end));
  const shown = tools.filter((tool) => {
    const name = nameOf(tool);
    return name === undefined || !isHidden(name);
  });
  if (shown.length === tools.length) return undefined;
  const others = members
    // A list of another spelling, or an earlier one, may hold what is left out here.
    .filter((member) => !isNamed(member, 'tools'))
    .map(({ key, start, end }) => `,${JSON.stringify(key)}:${result.toString('utf8', start, end)}`);
  return resultText(idText, new RawJson(`{"tools":[${shown.join(',')}]${others.join('')}}`));
}

const OPEN_BRACKET = 91;

/** Undefined for what is no tool: no setting hides it. */
function nameOf(tool: Buffer): string | undefined {
  const name: unknown = JSON.parse(rawMember(tool, 'name') ?? 'null');
  return typeof name === 'string' ? name : undefined;
}
