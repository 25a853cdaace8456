import { type Frame, frameBytes, frameLength } from './frame.ts';
import { isObject } from './messages.ts';
import { type Member, scanMembers } from './scan.ts';
import { isForwardable, isNamed, type Outgoing, replace, type Spliced } from './splice.ts';

/** A successful answer to one of our own requests whose bytes may travel on as they are. */
export interface ResultFrame {
  /** The id that we gave the request. */
  readonly id: number;
  /** The whole answer as it came. */
  readonly frame: Frame;
  /** The answer with another id, given as JSON text; the bytes of the result are the ones that came. */
  withId(idText: string): Outgoing;
  /** The whole answer as a value, where it had to be parsed to be told from others. */
  readonly message?: Readonly<Record<string, unknown>>;
}

/**
 * Recognises a result by the two ways in which servers write one; another order of members is found by a scan.
 * Undefined means: parse it (an error, a broken message, bytes that are not clean UTF-8 on one line).
 *
 * What is let through reaches a client's stream as it is, so up to a size it is looked at, only to be sure of it. To
 * look through a large result would cost more than to carry it: its inside is taken on trust, but not its edges. It must
 * be one line that ends as an object does, no error may stand at its end and no second answer begin in it, and our id is written last: of two members with
 * one name parsers keep the last, so a server cannot hide a second id in it and answer in another's name.
 */
export function readResult(frame: Frame): ResultFrame | undefined {
  if (isCalled(frame) || !isForwardable(frame)) return undefined;
  const place = findIdFirst(frame) ?? findIdLast(frame);
  const bytes = frameLength(frame);
  if (place !== undefined && bytes <= MAX_TEXT_BYTES) return readSmall(frame, place);
  const isDoubtful = bytes <= MAX_SCANNED_BYTES || mayHoldError(frame) || mayHoldAnother(frame);
  if (place === undefined || isDoubtful) return scanResult(frame);
  const { id, start, end } = place;
  const isLast = end === bytes - 1;
  if (isLast) return { id, frame, withId: (text) => joined(slice(frame, 0, start), `${text}}`) };
  return { id, frame, withId: (text) => joined([JSONRPC_ONLY, ...slice(frame, end, bytes - 1)], `,"id":${text}}`) };
}

/** It has a method where servers write one, so it is no answer: most notifications are told from one at a glance. */
function isCalled([first]: Frame): boolean {
  return first !== undefined && (standsAt(first, 0, METHOD_SECOND) || standsAt(first, 0, METHOD_FIRST));
}

const METHOD_FIRST = Buffer.from('{"method":');
const METHOD_SECOND = Buffer.from('{"jsonrpc":"2.0","method":');

/** A small answer is text: many of them leave in one write. */
function readSmall(frame: Frame, { id, start, end }: IdPlace): ResultFrame | undefined {
  const bytes = frameBytes(frame);
  const text = bytes.toString('utf8');
  const message = parseSound(text, id);
  if (message === undefined) return undefined;
  // Without a character of several bytes, places in the text are those in the bytes.
  const cut = text.length === bytes.length ? text : undefined;
  const before = cut?.slice(0, start) ?? bytes.toString('utf8', 0, start);
  const after = cut?.slice(end) ?? bytes.toString('utf8', end);
  return { id, frame, message, withId: (idText) => before + idText + after };
}

/** Up to here a parse costs a few microseconds. */
const MAX_TEXT_BYTES = 2 * 1024;
/** And up to here an exact look at the bytes. */
const MAX_SCANNED_BYTES = 4 * 1024;

const ID_FIRST = Buffer.from('{"jsonrpc":"2.0","id":');
const JSONRPC_ONLY = Buffer.from('{"jsonrpc":"2.0"');
const RESULT_NEXT = Buffer.from(',"result":');
const RESULT_FIRST = Buffer.from('{"result":');
const ID_LAST = Buffer.from(',"jsonrpc":"2.0","id":');

interface IdPlace {
  readonly id: number;
  readonly start: number;
  readonly end: number;
}

/** `{"jsonrpc":"2.0","id":7,"result":…}`, as most servers write. */
function findIdFirst([first]: Frame): IdPlace | undefined {
  if (first === undefined || !standsAt(first, 0, ID_FIRST)) return undefined;
  const start = ID_FIRST.length;
  let end = start;
  while (isDigit(first[end])) end++;
  const id = readDigits(first, { start, end });
  return id !== undefined && standsAt(first, end, RESULT_NEXT) ? { id, start, end } : undefined;
}

/** `{"result":…,"jsonrpc":"2.0","id":7}`, as the TypeScript SDK writes. */
function findIdLast(frame: Frame): IdPlace | undefined {
  const [first] = frame;
  const last = frame.at(-1);
  if (first === undefined || last === undefined || !standsAt(first, 0, RESULT_FIRST)) return undefined;
  const end = last.length - 1;
  let start = end;
  while (isDigit(last[start - 1])) start--;
  const id = readDigits(last, { start, end });
  if (id === undefined || !standsAt(last, start - ID_LAST.length, ID_LAST)) return undefined;
  const before = frameLength(frame) - last.length;
  return { id, start: before + start, end: before + end };
}

/** It is JSON, and a parser sees a result for this id and nothing else, whether or not it tells `ID` from `id`. */
function parseSound(text: string, id: number): ResultFrame['message'] {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(message) || message['id'] !== id) return undefined;
  for (const key in message) {
    if (key !== 'jsonrpc' && key !== 'id' && key !== 'result' && LOADED_NAMES.has(key.toUpperCase())) return undefined;
  }
  return message;
}

const LOADED_NAMES = new Set(['ID', 'RESULT', 'ERROR', 'METHOD']);

/** An error is short and stands at an end. A result that merely speaks of errors there is scanned instead. */
function mayHoldError(frame: Frame): boolean {
  const bytes = frameLength(frame);
  return Buffer.concat(slice(frame, bytes - EDGE_BYTES, bytes)).includes(ERROR_KEY);
}

const EDGE_BYTES = 4096;
const ERROR_KEY = Buffer.from('"error"');

/** A server that died half-way through an answer may go on with the next on the same line, in its next life or thread. */
function mayHoldAnother(frame: Frame): boolean {
  return BEGINNINGS.some((beginning) => {
    let before: Buffer = NOTHING;
    return frame.some((piece, index) => {
      const border = Buffer.concat([before.subarray(1 - beginning.length), piece.subarray(0, beginning.length - 1)]);
      before = piece;
      return piece.indexOf(beginning, index === 0 ? 1 : 0) !== -1 || (index > 0 && border.includes(beginning));
    });
  });
}

const BEGINNINGS = [JSONRPC_ONLY, RESULT_FIRST];
const NOTHING = Buffer.alloc(0);

/** Any other order, and exact for any size: one id, one result, no error. */
function scanResult(frame: Frame): ResultFrame | undefined {
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  if (members === undefined) return undefined;
  const id = findOnly(members, 'id');
  const result = findOnly(members, 'result');
  if (id === undefined || result === undefined) return undefined;
  if (members.some((member) => isNamed(member, 'error') || isNamed(member, 'method'))) return undefined;
  const value = readDigits(bytes, id);
  if (value === undefined) return undefined;
  return { id: value, frame, withId: (text) => replace(bytes, [{ start: id.start, end: id.end, text }]) };
}

function findOnly(members: readonly Member[], name: string): Member | undefined {
  const member = members.find((candidate) => isNamed(candidate, name));
  if (member?.key !== name) return undefined;
  return member === members.findLast((candidate) => isNamed(candidate, name)) ? member : undefined;
}

/** The pieces that hold the bytes between `from` and `to`. */
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

function joined(before: readonly Buffer[], tail: string): Spliced {
  return { pieces: [...before, tail], bytes: frameLength(before) + Buffer.byteLength(tail) };
}

const MAX_DIGITS = 15;

function standsAt(bytes: Buffer, at: number, expected: Buffer): boolean {
  if (at < 0 || at + expected.length > bytes.length) return false;
  for (let index = 0; index < expected.length; index++) if (bytes[at + index] !== expected[index]) return false;
  return true;
}

function readDigits(bytes: Buffer, { start, end }: Pick<Member, 'start' | 'end'>): number | undefined {
  if (end <= start || end - start > MAX_DIGITS || (bytes[start] === ZERO && end - start > 1)) return undefined;
  let value = 0;
  for (let at = start; at < end; at++) {
    const byte = bytes[at];
    if (byte === undefined || !isDigit(byte)) return undefined;
    value = value * 10 + byte - ZERO;
  }
  return value;
}

const ZERO = 48;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 57;
}
