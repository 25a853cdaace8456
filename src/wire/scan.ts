/**
 * Finds the members of a JSON object in its bytes without building values.
 * Every text that `JSON.parse` accepts is scanned right; of other texts some are refused and none does harm.
 */
export interface Member {
  readonly key: string;
  readonly start: number;
  /** One past the last byte of the value. */
  readonly end: number;
}

/** The members of the object that starts at `from`, or undefined when there is none or it is broken. */
export function scanMembers(bytes: Buffer, from = 0): Member[] | undefined {
  let at = skipSpace(bytes, from);
  if (bytes[at] !== OPEN_BRACE) return undefined;
  const members: Member[] = [];
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_BRACE) return members;
  for (;;) {
    const keyEnd = skipString(bytes, at);
    if (keyEnd === undefined) return undefined;
    const colon = skipSpace(bytes, keyEnd);
    if (bytes[colon] !== COLON) return undefined;
    const start = skipSpace(bytes, colon + 1);
    const end = skipValue(bytes, start);
    if (end === undefined) return undefined;
    members.push({ key: keyText(bytes, at, keyEnd), start, end });
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACE) return members;
    if (bytes[at] !== COMMA) return undefined;
    at = skipSpace(bytes, at + 1);
  }
}

/** The text of the last member with this name, as it stands in the bytes: the one that `JSON.parse` keeps. */
export function rawMember(bytes: Buffer, key: string): string | undefined {
  const member = scanMembers(bytes)?.findLast((candidate) => candidate.key === key);
  return member === undefined ? undefined : bytes.toString('utf8', member.start, member.end);
}

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

function keyText(bytes: Buffer, start: number, end: number): string {
  const raw = bytes.toString('utf8', start + 1, end - 1);
  if (!raw.includes('\\')) return raw;
  try {
    return String(JSON.parse(`"${raw}"`));
  } catch {
    // A broken escape: the key matches nothing that anybody looks for.
    return raw;
  }
}

function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 32 && byte !== 10 && byte !== 13 && byte !== 9) return at;
    at++;
  }
}

function skipValue(bytes: Buffer, from: number): number | undefined {
  const first = bytes[from];
  if (first === QUOTE) return skipString(bytes, from);
  if (first === OPEN_BRACE || first === OPEN_BRACKET) return skipNested(bytes, from);
  let at = from;
  while (isScalarByte(bytes[at])) at++;
  return at === from ? undefined : at;
}

function skipString(bytes: Buffer, from: number): number | undefined {
  if (bytes[from] !== QUOTE) return undefined;
  let quote = bytes.indexOf(QUOTE, from + 1);
  while (quote !== -1 && isEscaped(bytes, quote)) quote = bytes.indexOf(QUOTE, quote + 1);
  return quote === -1 ? undefined : quote + 1;
}

function isEscaped(bytes: Buffer, at: number): boolean {
  let slashes = 0;
  while (bytes[at - 1 - slashes] === BACKSLASH) slashes++;
  return slashes % 2 === 1;
}

function skipNested(bytes: Buffer, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < bytes.length; at++) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      const end = skipString(bytes, at);
      if (end === undefined) return undefined;
      at = end - 1;
    } else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) depth++;
    else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
      depth--;
      if (depth === 0) return at + 1;
    }
  }
  return undefined;
}

/** Numbers, true, false and null: letters, digits, signs and dots. */
function isScalarByte(byte: number | undefined): boolean {
  if (byte === undefined) return false;
  return (byte >= 48 && byte <= 57) || (byte >= 97 && byte <= 122) || byte === 45 || byte === 43 || byte === 46 || byte === 69;
}
