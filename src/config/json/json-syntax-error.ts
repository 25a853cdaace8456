/** The position where a text stops being JSON, and what the user should change there. */
export interface JsonSyntaxError {
  readonly offset: number;
  readonly message: string;
}

/**
 * Returns the first syntax error; undefined for valid JSON. Slow and verbose: only for text that `JSON.parse` rejected.
 */
export function findJsonSyntaxError(text: string): JsonSyntaxError | undefined {
  const open: Bracket[] = [];
  let next: Expected = 'value';
  let at = skipWhitespace(text, 0);
  while (at < text.length) {
    const step = takeStep({ text, at, next, open });
    if ('message' in step) return step;
    ({ next } = step);
    at = skipWhitespace(text, step.end);
  }
  if (next === 'end') return undefined;
  const bracket = open.at(-1);
  const missing = bracket === undefined ? 'a value' : `${CLOSER[bracket]} for the ${bracket} that is still open`;
  return { offset: text.length, message: `the file ends too early: it needs ${missing}` };
}

type Bracket = '{' | '[';
type Expected = 'value' | 'value or ]' | 'key' | 'key or }' | 'colon' | 'comma' | 'end';

interface ParsePosition {
  readonly text: string;
  readonly at: number;
  readonly next: Expected;
  /** Mutated at each bracket. */
  readonly open: Bracket[];
}

type Step = { readonly end: number; readonly next: Expected } | JsonSyntaxError;

const CLOSER = { '{': '}', '[': ']' } as const;

function takeStep(position: ParsePosition): Step {
  const { text, at, next, open } = position;
  const character = text[at];
  const fault = (message: string): JsonSyntaxError => ({
    offset: at,
    message: describeCommonMistake(text, at) ?? message,
  });
  switch (next) {
    case 'end':
      return fault('nothing may follow the end of the value');
    case 'colon':
      return character === ':' ? { end: at + 1, next: 'value' } : fault('a colon is missing after the key');
    case 'comma':
      return takeComma(position, fault);
    case 'key or }':
      if (character === '}') return close(position);
      return character === '"' ? takeString(position, 'colon') : fault('expected a key in double quotes, or }');
    case 'key':
      if (character === '}') return fault('there must be no comma before this }');
      return character === '"' ? takeString(position, 'colon') : fault('expected a key in double quotes');
    case 'value or ]':
      if (character === ']') return close(position);
      break;
    case 'value':
      if (character === ']' && open.at(-1) === '[') return fault('there must be no comma before this ]');
  }
  return takeValue(position, fault);
}

function takeValue(position: ParsePosition, fault: (message: string) => JsonSyntaxError): Step {
  const { text, at, open } = position;
  const character = text[at];
  if (character === '"') return takeString(position, afterValue(open));
  if (character === '{' || character === '[') {
    open.push(character);
    return { end: at + 1, next: character === '{' ? 'key or }' : 'value or ]' };
  }
  const scalars = /true|false|null|-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
  scalars.lastIndex = at;
  const scalar = scalars.exec(text)?.[0];
  return scalar === undefined ? fault('expected a value') : { end: at + scalar.length, next: afterValue(open) };
}

function takeComma(position: ParsePosition, fault: (message: string) => JsonSyntaxError): Step {
  const { text, at, open } = position;
  const bracket = open.at(-1) ?? '{';
  if (text[at] === CLOSER[bracket]) return close(position);
  if (text[at] !== ',') return fault(`a comma or ${CLOSER[bracket]} is missing before this`);
  return { end: at + 1, next: bracket === '{' ? 'key' : 'value' };
}

function close({ at, open }: ParsePosition): Step {
  open.pop();
  return { end: at + 1, next: afterValue(open) };
}

function afterValue(open: readonly Bracket[]): Expected {
  return open.length === 0 ? 'end' : 'comma';
}

function takeString({ text, at }: ParsePosition, next: Expected): Step {
  for (let end = at + 1; end < text.length; end++) {
    const character = text[end] ?? '';
    if (character === '"') return { end: end + 1, next };
    if (character < ' ') return { offset: end, message: 'a string may not contain a line break or control character' };
    if (character !== '\\') continue;
    const escaped = /^\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.exec(text.slice(end, end + 6))?.[0];
    if (escaped === undefined)
      return { offset: end, message: 'a backslash in a string must be doubled, or begin an escape' };
    end += escaped.length - 1;
  }
  return { offset: text.length, message: 'the file ends inside a string' };
}

function describeCommonMistake(text: string, at: number): string | undefined {
  if (text.startsWith('//', at) || text.startsWith('/*', at) || text[at] === '#')
    return 'comments are not allowed in JSON';
  return text[at] === "'" ? 'strings need double quotes' : undefined;
}

function skipWhitespace(text: string, from: number): number {
  let at = from;
  while (text[at] === ' ' || text[at] === '\n' || text[at] === '\r' || text[at] === '\t') at++;
  return at;
}
