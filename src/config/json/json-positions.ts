/**
 * The position of one member of an object. This module finds the parts of an object or a list, one level at a time,
 * only in text that `JSON.parse` accepted: it does not validate again. Unlike `wire/json/scan.ts`, it uses regular
 * expressions, because it runs once at every start, when a loop over each character is not compiled yet and costs ten
 * times as much.
 */
export interface MemberPosition {
  readonly key: string;
  readonly keyStart: number;
  readonly valueStart: number;
}

/** Returns the members of the object that begins at `start`, in order, duplicates included. */
export function findMembers(text: string, start: number): readonly MemberPosition[] {
  const positions: MemberPosition[] = [];
  for (let at = skipSeparators(text, start + 1); text[at] !== '}'; ) {
    const keyEnd = skipString(text, at);
    const valueStart = skipSeparators(text, keyEnd);
    positions.push({ key: keyText(text.slice(at, keyEnd)), keyStart: at, valueStart });
    at = skipSeparators(text, skipValue(text, valueStart));
  }
  return positions;
}

/** Returns the start offsets of the elements of the list that begins at `start`. */
export function findElements(text: string, start: number): readonly number[] {
  const positions: number[] = [];
  for (let at = skipSeparators(text, start + 1); text[at] !== ']'; at = skipSeparators(text, skipValue(text, at)))
    positions.push(at);
  return positions;
}

/** Returns the end offset of the value that begins at `start`. */
export function skipValue(text: string, start: number): number {
  switch (text[start]) {
    case '"':
      return skipString(text, start);
    case '{':
    case '[':
      return skipBrackets(text, start);
    default:
      return skip(/[^\s,\]}]*/y, text, start);
  }
}

function skipBrackets(text: string, start: number): number {
  const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]]/g;
  tokens.lastIndex = start;
  let depth = 0;
  while (tokens.test(text)) {
    const last = text[tokens.lastIndex - 1];
    if (last === '{' || last === '[') depth++;
    else if (last !== '"') depth--;
    if (depth === 0) break;
  }
  return tokens.lastIndex;
}

function skipString(text: string, start: number): number {
  return skip(/"[^"\\]*(?:\\.[^"\\]*)*"/y, text, start);
}

/** Skips blanks, commas and colons. `JSON.parse` has already checked their order. */
function skipSeparators(text: string, start: number): number {
  return skip(/[\s,:]*/y, text, start);
}

function skip(pattern: RegExp, text: string, start: number): number {
  pattern.lastIndex = start;
  pattern.test(text);
  return pattern.lastIndex;
}

function keyText(token: string): string {
  return token.includes('\\') ? String(JSON.parse(token)) : token.slice(1, -1);
}
