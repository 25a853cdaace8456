/**
 * A member of a JSON object, found in the bytes without building values. The scan is exact: it accepts what
 * `JSON.parse` accepts and nothing else, because the bytes that it accepts may be forwarded without being parsed.
 */
export interface Member {
  readonly key: string;
  readonly start: number;
  /** One past the last byte of the value. */
  readonly end: number;
}

/** Returns the members of the object between `from` and `to`, in order; undefined if there is anything else. */
export function scanMembers(bytes: Buffer, from = 0, to = bytes.length): Member[] | undefined {
  const input = toScanInput(bytes);
  const members: Member[] = [];
  const member = (key: Key, start: number): number => {
    const valueEnd = skipValue(input, start);
    members.push({ key: keyText(bytes, key), start, end: valueEnd });
    return valueEnd;
  };
  const end = walkMembers(input, from, { member }, 0);
  // Only whitespace may follow the object.
  return end === to || (end !== INVALID_JSON && skipSpace(bytes, end) === to) ? members : undefined;
}

/** Returns the last member of this name, which is the one that `JSON.parse` keeps. */
export function lastMember(members: readonly Member[] | undefined, name: string): Member | undefined {
  return members?.findLast(({ key }) => key === name);
}

/** The position of a member's name, with its quotes. A walk reuses one object for all members. */
export interface Key {
  start: number;
  end: number;
}

/** Handles the value of one member, which begins at `start`, and returns its end: by `skipValue`, or by walking it. */
export interface MemberVisitor {
  /** `level` is the one passed to `walkMembers`. */
  member(key: Key, start: number, level: number): number;
}

/** Walks the object that begins at `from`, in one pass over the bytes. Returns its end, or `INVALID_JSON`. */
export function walkMembers(input: ScanInput, from: number, visitor: MemberVisitor, level: number): number {
  const { bytes } = input;
  let at = skipSpace(bytes, from);
  if (bytes[at] !== OPEN_BRACE) return INVALID_JSON;
  at = skipSpace(bytes, at + 1);
  if (bytes[at] === CLOSE_BRACE) return at + 1;
  const key: Key = { start: 0, end: 0 };
  for (;;) {
    key.start = at;
    key.end = skipString(input, at);
    const start = skipColon(bytes, key.end);
    if (start === INVALID_JSON) return INVALID_JSON;
    const end = visitor.member(key, start, level);
    if (end === INVALID_JSON) return INVALID_JSON;
    at = skipSpace(bytes, end);
    if (bytes[at] === CLOSE_BRACE) return at + 1;
    if (bytes[at] !== COMMA) return INVALID_JSON;
    at = skipSpace(bytes, at + 1);
  }
}

/** Returns the name without its quotes and escapes. */
export function keyText(bytes: Buffer, { start, end }: Key): string {
  const raw = bytes.toString('utf8', start, end);
  return raw.includes('\\') ? String(JSON.parse(raw)) : raw.slice(1, -1);
}

/** Returns whether the name is this word, written without escapes. Cheaper than decoding the name. */
export function isKey(bytes: Buffer, { start, end }: Key, word: string): boolean {
  if (end - start - 2 !== word.length) return false;
  for (let index = 0; index < word.length; index++) {
    if (bytes[start + 1 + index] !== word.charCodeAt(index)) return false;
  }
  return true;
}

export function toScanInput(bytes: Buffer): ScanInput {
  const isSmall = bytes.length < MIN_WORD_SCAN_BYTES;
  return { bytes, words: isSmall ? undefined : new DataView(bytes.buffer, bytes.byteOffset, bytes.length) };
}

/** For fewer bytes, a `DataView` costs more than it saves. */
const MIN_WORD_SCAN_BYTES = 512;

/** Returns the position of each element of the array. Only for bytes that `JSON.parse` accepts. */
export function scanElements(bytes: Buffer): { readonly start: number; readonly end: number }[] {
  const input = toScanInput(bytes);
  const elements: { start: number; end: number }[] = [];
  let start = skipSpace(bytes, skipSpace(bytes, 0) + 1);
  for (let end = skipValue(input, start); end !== INVALID_JSON; end = skipValue(input, start)) {
    elements.push({ start, end });
    start = skipSpace(bytes, skipSpace(bytes, end) + 1);
  }
  return elements;
}

/** Returns the raw text of the last member with this name, which is the one that `JSON.parse` keeps. */
export function rawMember(bytes: Buffer, key: string): string | undefined {
  const member = scanMembers(bytes)?.findLast((candidate) => candidate.key === key);
  return member === undefined ? undefined : bytes.toString('utf8', member.start, member.end);
}

export interface ScanInput {
  readonly bytes: Buffer;
  /** The same bytes, four at a time. */
  readonly words: DataView | undefined;
}

/** Returned instead of a position where there is no valid JSON. Functions that get it as a position return it too. */
export const INVALID_JSON = -1;

const QUOTE = 34;
const COMMA = 44;
const MINUS = 45;
const DOT = 46;
const ZERO = 48;
const COLON = 58;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;

export function skipSpace(bytes: Buffer, from: number): number {
  let at = from;
  while (isSpace(bytes[at])) at++;
  return at;
}

function isSpace(byte: number | undefined): boolean {
  return byte === 32 || byte === 10 || byte === 13 || byte === 9;
}

function skipColon(bytes: Buffer, from: number): number {
  const colon = skipSpace(bytes, from);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : INVALID_JSON;
}

/** Returns the end of the value; `INVALID_JSON` beyond `maxDepth`. Not recursive: the sender chooses the depth. */
export function skipValue(input: ScanInput, from: number, maxDepth = Number.POSITIVE_INFINITY): number {
  const { bytes } = input;
  const closers: number[] = [];
  let at = from;
  for (;;) {
    const first = bytes[at];
    if (first === OPEN_BRACE || first === OPEN_BRACKET) {
      if (closers.length >= maxDepth) return INVALID_JSON;
      // In ASCII each closer is two after its opener.
      const closer = first + 2;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== closer) {
        closers.push(closer);
        if (closer === CLOSE_BRACE) at = skipColon(bytes, skipString(input, at));
        continue;
      }
      at++;
    } else at = skipScalar(input, at);
    at = closers.length === 0 ? at : skipClosers(input, at, closers);
    if (at === INVALID_JSON || closers.length === 0) return at;
  }
}

/** Moves from the end of a value to the start of the next one, or past everything that ends here. */
function skipClosers(input: ScanInput, from: number, closers: number[]): number {
  const { bytes } = input;
  let at = from;
  for (let closer = closers.at(-1); closer !== undefined; closer = closers.at(-1)) {
    at = skipSpace(bytes, at);
    if (bytes[at] === COMMA) {
      at = skipSpace(bytes, at + 1);
      return closer === CLOSE_BRACE ? skipColon(bytes, skipString(input, at)) : at;
    }
    if (bytes[at] !== closer) return INVALID_JSON;
    closers.pop();
    at++;
  }
  return at;
}

function skipScalar(input: ScanInput, from: number): number {
  const { bytes } = input;
  switch (bytes[from]) {
    case QUOTE:
      return skipString(input, from);
    case 116:
      return skipLiteral(bytes, from, 'true');
    case 102:
      return skipLiteral(bytes, from, 'false');
    case 110:
      return skipLiteral(bytes, from, 'null');
    default:
      return skipNumber(bytes, from);
  }
}

function skipLiteral(bytes: Buffer, from: number, word: string): number {
  for (let index = 0; index < word.length; index++) {
    if (bytes[from + index] !== word.charCodeAt(index)) return INVALID_JSON;
  }
  return from + word.length;
}

function skipNumber(bytes: Buffer, from: number): number {
  let at = bytes[from] === MINUS ? from + 1 : from;
  at = bytes[at] === ZERO ? at + 1 : skipDigits(bytes, at);
  if (bytes[at] === DOT) at = skipDigits(bytes, at + 1);
  if (bytes[at] !== 101 && bytes[at] !== 69) return at;
  const sign = bytes[at + 1];
  return skipDigits(bytes, sign === MINUS || sign === 43 ? at + 2 : at + 1);
}

function skipDigits(bytes: Buffer, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at++;
  return at === from ? INVALID_JSON : at;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}

function skipString(input: ScanInput, from: number): number {
  const { bytes } = input;
  if (bytes[from] !== QUOTE) return INVALID_JSON;
  let at = from + 1;
  for (;;) {
    at = skipPlain(input, at);
    const byte = bytes[at];
    if (byte === QUOTE) return at + 1;
    if (byte !== BACKSLASH) return INVALID_JSON;
    at = skipEscape(bytes, at + 1);
    if (at === INVALID_JSON) return INVALID_JSON;
  }
}

/** Skips to the next quote, backslash or control character. Reads whole words, because most data is in long strings. */
function skipPlain({ bytes, words }: ScanInput, from: number): number {
  let at = from;
  if (words !== undefined) at = skipWords(words, at);
  while (isPlain(bytes[at])) at++;
  return at;
}

function skipWords(words: DataView, from: number): number {
  const last = words.byteLength - 8;
  let at = from;
  while (
    at <= last &&
    (findSpecialBytes(words.getInt32(at, true)) | findSpecialBytes(words.getInt32(at + 4, true))) === 0
  )
    at += 8;
  return at;
}

/** Returns 0 if no byte is special. Subtracting borrows into the high bit of each byte smaller than the subtrahend. */
function findSpecialBytes(word: number): number {
  const quotes = word ^ 0x22222222;
  const backslashes = word ^ 0x5c5c5c5c;
  const controls = (word - 0x20202020) & ~word;
  const found = controls | ((quotes - 0x01010101) & ~quotes) | ((backslashes - 0x01010101) & ~backslashes);
  return found & 0x80808080;
}

function isPlain(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 32 && byte !== QUOTE && byte !== BACKSLASH;
}

function skipEscape(bytes: Buffer, at: number): number {
  const byte = bytes[at];
  if (byte !== 117) return isShortEscape(byte) ? at + 1 : INVALID_JSON;
  for (let digit = at + 1; digit <= at + 4; digit++) {
    if (!isHexDigit(bytes[digit])) return INVALID_JSON;
  }
  return at + 5;
}

/** One of `"\\/bfnrt`. */
function isShortEscape(byte: number | undefined): boolean {
  if (byte === QUOTE || byte === BACKSLASH || byte === 47) return true;
  return byte === 98 || byte === 102 || byte === 110 || byte === 114 || byte === 116;
}

function isHexDigit(byte: number | undefined): boolean {
  return isDigit(byte) || (byte !== undefined && (byte | 32) >= 97 && (byte | 32) <= 102);
}
