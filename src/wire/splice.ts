import { type Frame, frameBytes, frameLength, isUtf8Frame } from './frame.ts';
import { type Member, scanMembers } from './scan.ts';

/** A message in pieces, ready to be sent without joining them. */
export interface Spliced {
  readonly pieces: readonly (string | Buffer)[];
  readonly bytes: number;
}

/** A successful answer to one of our own requests whose bytes may travel on as they are. */
export interface ResultFrame {
  /** The id that we gave the request. */
  readonly id: number;
  /** The answer with another id, given as JSON text; the bytes of the result are the ones that came. */
  withId(idText: string): Spliced;
}

/**
 * Recognises a result without parsing it, by the two ways in which servers write one. Any other order of members is
 * found by a scan. Undefined means: parse it (an error, a broken message, bytes that are not clean UTF-8 on one line).
 *
 * The frame must be complete. Where the scan was spared, our id is written last: of two members with one name every
 * parser we know keeps the last, so a server cannot answer in another's name by hiding a second id in its message.
 */
export function readResult(frame: Frame): ResultFrame | undefined {
  if (!isForwardable(frame)) return undefined;
  return readIdFirst(frame) ?? readIdLast(frame) ?? scanResult(frame);
}

const ID_FIRST = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT_NEXT = Buffer.from(',"result":');
const RESULT_FIRST = Buffer.from('{"result":');
const ID_LAST = Buffer.from(',"jsonrpc":"2.0","id":');
const MAX_DIGITS = 15;

/** `{"jsonrpc":"2.0","id":7,"result":…}`, as most servers write. */
function readIdFirst(frame: Frame): ResultFrame | undefined {
  const first = frame[0];
  if (first === undefined || !startsWith(first, 0, ID_FIRST)) return undefined;
  let at = ID_FIRST.length;
  while (isDigit(first[at])) at++;
  if (!startsWith(first, at, RESULT_NEXT) || mayHoldError(frame)) return undefined;
  const id = readDigits(first, ID_FIRST.length, at);
  if (id === undefined) return undefined;
  const end = frameLength(frame) - 1;
  return { id, withId: (idText) => joined('{"jsonrpc":"2.0"', slice(frame, at, end), `,"id":${idText}}`) };
}

/** `{"result":…,"jsonrpc":"2.0","id":7}`, as the TypeScript SDK writes. */
function readIdLast(frame: Frame): ResultFrame | undefined {
  const first = frame[0];
  const last = frame.at(-1);
  if (first === undefined || last === undefined || !startsWith(first, 0, RESULT_FIRST)) return undefined;
  const end = last.length - 1;
  let at = end;
  while (isDigit(last[at - 1])) at--;
  if (!startsWith(last, at - ID_LAST.length, ID_LAST) || mayHoldError(frame)) return undefined;
  const id = readDigits(last, at, end);
  if (id === undefined) return undefined;
  const idStart = frameLength(frame) - last.length + at;
  return { id, withId: (idText) => joined('', slice(frame, 0, idStart), `${idText}}`) };
}

/** Any other order. Exact, and therefore strict: one id, one result, no error. */
function scanResult(frame: Frame): ResultFrame | undefined {
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  if (members === undefined || members.some(({ key }) => key === 'error' || key === 'method')) return undefined;
  const ids = members.filter(({ key }) => key === 'id');
  const [id] = ids;
  if (id === undefined || ids.length > 1 || members.filter(({ key }) => key === 'result').length !== 1) return undefined;
  const value = readDigits(bytes, id.start, id.end);
  if (value === undefined) return undefined;
  return { id: value, withId: (idText) => replace(bytes, [{ start: id.start, end: id.end, text: idText }]) };
}

/** One member to be replaced: `path` leads to it from the top, `text` is JSON. */
export interface Edit {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Replaces members in place and leaves every other byte alone. A member that occurs twice is replaced twice; one that
 * does not occur is left out. Undefined when the bytes are no JSON object that could be forwarded.
 */
export function spliceMembers(frame: Frame, edits: readonly Edit[]): Spliced | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  if (members === undefined) return undefined;
  const found = edits.flatMap(({ path, text }) => locate(bytes, members, path).map(({ start, end }) => ({ start, end, text })));
  return replace(bytes, found.sort((a, b) => a.start - b.start));
}

function locate(bytes: Buffer, members: readonly Member[], [key, ...rest]: readonly string[]): Member[] {
  const here = members.filter((member) => member.key === key);
  if (rest.length === 0) return here;
  return here.flatMap((member) => locate(bytes, scanMembers(bytes, member.start) ?? [], rest));
}

function replace(bytes: Buffer, edits: readonly { start: number; end: number; text: string }[]): Spliced {
  const pieces: (string | Buffer)[] = [];
  let from = 0;
  for (const { start, end, text } of edits) {
    pieces.push(bytes.subarray(from, start), text);
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return { pieces, bytes: byteLength(pieces) };
}

function joined(head: string, body: readonly Buffer[], tail: string): Spliced {
  const pieces = [head, ...body, tail];
  return { pieces, bytes: byteLength(pieces) };
}

function byteLength(pieces: readonly (string | Buffer)[]): number {
  let bytes = 0;
  for (const piece of pieces) bytes += typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
  return bytes;
}

function slice(frame: Frame, from: number, to: number): Buffer[] {
  const pieces: Buffer[] = [];
  let offset = 0;
  for (const piece of frame) {
    const start = Math.max(from - offset, 0);
    const end = Math.min(to - offset, piece.length);
    if (start < end) pieces.push(piece.subarray(start, end));
    offset += piece.length;
  }
  return pieces;
}

/** One line of clean UTF-8 that ends as an object does. */
function isForwardable(frame: Frame): boolean {
  const last = frame.at(-1);
  if (last === undefined || last[last.length - 1] !== CLOSE_BRACE) return false;
  return frame.every((piece) => piece.indexOf(LF) === -1 && piece.indexOf(CR) === -1) && isUtf8Frame(frame);
}

const LF = 10;
const CR = 13;
const CLOSE_BRACE = 125;

/**
 * An answer with a result and an error is broken and must not travel on. An error stands at the end and is short, so a
 * look at the end finds it; a result that merely speaks of errors there is scanned instead.
 */
function mayHoldError(frame: Frame): boolean {
  const last = frame.at(-1);
  if (last === undefined) return true;
  const tail = last.length >= TAIL_BYTES || frame.length === 1 ? last : Buffer.concat(slice(frame, frameLength(frame) - TAIL_BYTES, frameLength(frame)));
  return tail.subarray(-TAIL_BYTES).includes(ERROR_KEY);
}

const TAIL_BYTES = 4096;
const ERROR_KEY = Buffer.from('"error"');

function startsWith(bytes: Buffer, from: number, expected: Buffer): boolean {
  if (from < 0 || from + expected.length > bytes.length) return false;
  return bytes.compare(expected, 0, expected.length, from, from + expected.length) === 0;
}

function readDigits(bytes: Buffer, start: number, end: number): number | undefined {
  if (end <= start || end - start > MAX_DIGITS) return undefined;
  let value = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === undefined || !isDigit(byte)) return undefined;
    value = value * 10 + byte - 48;
  }
  return value;
}

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 48 && byte <= 57;
}
