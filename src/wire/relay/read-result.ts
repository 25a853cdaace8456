import { type Frame, frameBytes, frameLength } from '../frame.ts';
import { type Member, scanMembers } from '../json/scan.ts';
import { hasName, isForwardable, type OutgoingMessage, replaceSpans } from '../json/splice.ts';
import { checkJson, checkUtf8Json, INVALID } from '../json-check/json-check.ts';

/** A successful response to one of our own requests whose bytes can be forwarded unchanged. */
export interface ResultFrame {
  /** The id that we gave the request. */
  readonly id: number;
  /** The whole response as received. */
  readonly frame: Frame;
  /** The nesting depth of the whole response. Above `MAX_DEPTH` if it is nested deeper; the rest is then unchecked. */
  readonly depth: number;
  /** Whether a string contains an escaped lone surrogate, which not every JSON parser accepts. */
  readonly hasLoneSurrogates: boolean;
  /** Returns the response with another id, given as JSON text. The bytes of the result stay the same. */
  withId(idText: string): OutgoingMessage;
}

/**
 * Reads a result in one of the two forms that servers usually write. A scan handles any other order of members.
 * Undefined means that the message must be parsed: an error, a broken message, or bytes that are not UTF-8 on one line.
 *
 * The bytes reach a client's stream unchanged, so all of them are checked. The part around the result is compared byte
 * for byte, and the result must be exactly one JSON value: no second id, error or response can hide in it.
 */
export function readResult(frame: Frame): ResultFrame | undefined {
  const span = findIdFirst(frame) ?? findIdLast(frame);
  if (span === undefined) return hasMethod(frame) ? undefined : scanResult(frame);
  const { depth, hasLoneSurrogates } = checkUtf8Json(frame, span.valueStart, span.valueEnd);
  if (depth === INVALID) return scanResult(frame);
  return { id: span.id, frame, depth: depth + 1, hasLoneSurrogates, withId: (text) => replaceId(frame, span, text) };
}

/** Returns whether a method is in a usual position, so that the message is no response. Detects most notifications. */
function hasMethod([first]: Frame): boolean {
  return first !== undefined && (matchesAt(first, 0, METHOD_SECOND) || matchesAt(first, 0, METHOD_FIRST));
}

const METHOD_FIRST = Buffer.from('{"method":');
const METHOD_SECOND = Buffer.from('{"jsonrpc":"2.0","method":');

function replaceId(frame: Frame, { start, end }: IdSpan, idText: string): OutgoingMessage {
  const length = frameLength(frame);
  const [first] = frame;
  if (length > MAX_TEXT_BYTES) {
    if (frame.length === 1 && first !== undefined) return replaceSpans(first, [{ start, end, text: idText }]);
    const pieces = [...slice(frame, 0, start), idText, ...slice(frame, end, length)];
    return { pieces, bytes: length - (end - start) + Buffer.byteLength(idText) };
  }
  // A small response is sent as text: one write sends many of them.
  const bytes = frameBytes(frame);
  const text = bytes.toString('utf8');
  // Without multi-byte characters, positions in the text are those in the bytes.
  if (text.length === length) return text.slice(0, start) + idText + text.slice(end);
  return bytes.toString('utf8', 0, start) + idText + bytes.toString('utf8', end);
}

const MAX_TEXT_BYTES = 2 * 1024;

const ID_FIRST = Buffer.from('{"jsonrpc":"2.0","id":');
const RESULT_NEXT = Buffer.from(',"result":');
const RESULT_FIRST = Buffer.from('{"result":');
const ID_LAST = Buffer.from(',"jsonrpc":"2.0","id":');

interface IdSpan {
  readonly id: number;
  readonly start: number;
  readonly end: number;
  /** Position of the result. */
  readonly valueStart: number;
  readonly valueEnd: number;
}

/** `{"jsonrpc":"2.0","id":7,"result":…}`, as most servers write. */
function findIdFirst(frame: Frame): IdSpan | undefined {
  const [first] = frame;
  const last = frame.at(-1);
  if (first === undefined || !matchesAt(first, 0, ID_FIRST) || last?.[last.length - 1] !== CLOSE_BRACE)
    return undefined;
  const start = ID_FIRST.length;
  let end = start;
  while (isDigit(first[end])) end++;
  const id = readDigits(first, { start, end });
  if (id === undefined || !matchesAt(first, end, RESULT_NEXT)) return undefined;
  return { id, start, end, valueStart: end + RESULT_NEXT.length, valueEnd: frameLength(frame) - 1 };
}

/** `{"result":…,"jsonrpc":"2.0","id":7}`, as the TypeScript SDK writes. */
function findIdLast(frame: Frame): IdSpan | undefined {
  const [first] = frame;
  const last = frame.at(-1);
  if (first === undefined || last === undefined || !matchesAt(first, 0, RESULT_FIRST)) return undefined;
  const end = last.length - 1;
  if (last[end] !== CLOSE_BRACE) return undefined;
  let start = end;
  while (isDigit(last[start - 1])) start--;
  const id = readDigits(last, { start, end });
  if (id === undefined || !matchesAt(last, start - ID_LAST.length, ID_LAST)) return undefined;
  const before = frameLength(frame) - last.length;
  const valueEnd = before + start - ID_LAST.length;
  return { id, start: before + start, end: before + end, valueStart: RESULT_FIRST.length, valueEnd };
}

/** Handles any other order of members, exactly and for any size: requires one id, one result and no error. */
function scanResult(frame: Frame): ResultFrame | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  if (members === undefined) return undefined;
  const id = findOnly(members, 'id');
  const result = findOnly(members, 'result');
  if (id === undefined || result === undefined) return undefined;
  if (members.some((member) => hasName(member, 'error') || hasName(member, 'method'))) return undefined;
  const value = readDigits(bytes, id);
  if (value === undefined) return undefined;
  const withId = (text: string) => replaceSpans(bytes, [{ start: id.start, end: id.end, text }]);
  return { id: value, frame, ...checkJson(frame), withId };
}

function findOnly(members: readonly Member[], name: string): Member | undefined {
  const member = members.find((candidate) => hasName(candidate, name));
  if (member?.key !== name) return undefined;
  return member === members.findLast((candidate) => hasName(candidate, name)) ? member : undefined;
}

/** Returns the pieces that hold the bytes between `from` and `to`. */
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

const MAX_DIGITS = 15;

function matchesAt(bytes: Buffer, at: number, expected: Buffer): boolean {
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
const CLOSE_BRACE = 125;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= ZERO && byte <= 57;
}
