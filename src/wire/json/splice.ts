import { type Frame, frameBytes, frameLength, frameText } from '../frame.ts';
import { type Member, scanMembers } from './scan.ts';
import { isUtf8Frame } from './utf8.ts';

/** A message in pieces, ready to be sent without joining them. */
export interface Spliced {
  readonly pieces: readonly (string | Buffer)[];
  readonly bytes: number;
}

/** An outgoing message: text if it is small, otherwise the pieces in which it arrived. */
export type OutgoingMessage = string | Spliced;

export function outgoingLength(message: OutgoingMessage): number {
  return typeof message === 'string' ? Buffer.byteLength(message) : message.bytes;
}

/** Returns the whole message as one text. */
export function outgoingText(message: OutgoingMessage): string {
  if (typeof message === 'string') return message;
  if (message.pieces.every((piece) => typeof piece === 'string')) return message.pieces.join('');
  return outgoingBytes(message).toString('utf8');
}

/** Returns the whole message in one buffer. */
export function outgoingBytes(message: OutgoingMessage): Buffer {
  if (typeof message === 'string') return Buffer.from(message);
  return Buffer.concat(message.pieces.map((piece) => (typeof piece === 'string' ? Buffer.from(piece) : piece)));
}

/** Returns a message to forward unchanged; undefined if its bytes would break the reader's framing or decoding. */
export function toOutgoingMessage(frame: Frame): OutgoingMessage | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameLength(frame);
  return bytes <= MAX_TEXT_BYTES ? frameText(frame) : { pieces: frame, bytes };
}

const MAX_TEXT_BYTES = 16 * 1024;

/** One member to replace: `path` leads to it from the top, `text` is JSON. No path may lead into another's member. */
export interface Edit {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Replaces members in place and keeps every other byte. A member that occurs twice is replaced twice; one that does not
 * occur is ignored. Returns undefined if the bytes are not a JSON object that can be forwarded.
 */
export function spliceMembers(frame: Frame, edits: readonly Edit[]): Spliced | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameBytes(frame);
  const members = scanMembers(bytes);
  if (members === undefined) return undefined;
  const found: Replacement[] = [];
  for (const { path, text } of edits) {
    const places = locate(bytes, members, path);
    if (places.some(({ key }) => key !== path.at(-1))) return undefined;
    for (const { start, end } of places) found.push({ start, end, text });
  }
  found.sort((a, b) => a.start - b.start);
  return replaceSpans(bytes, found);
}

function locate(bytes: Buffer, members: readonly Member[], [key = '', ...rest]: readonly string[]): Member[] {
  const here = members.filter((member) => hasName(member, key));
  if (rest.length === 0) return here;
  return here.flatMap(({ start, end }) => locate(bytes, scanMembers(bytes, start, end) ?? [], rest));
}

/** Ignores case: some parsers, such as Go's, do not distinguish `ID` from `id`, and a message must not exploit that. */
export function hasName({ key }: Member, name: string): boolean {
  return key === name || (key.length === name.length && key.toUpperCase() === name.toUpperCase());
}

/** A part of some bytes to replace with this text. */
export interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** Replaces parts that are in order and do not overlap. */
export function replaceSpans(bytes: Buffer, replacements: readonly Replacement[]): Spliced {
  const pieces: (string | Buffer)[] = [];
  let length = bytes.length;
  let from = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(slicePiece(bytes, from, start), text);
    length += Buffer.byteLength(text) - (end - start);
    from = end;
  }
  pieces.push(slicePiece(bytes, from, bytes.length));
  return { pieces, bytes: length };
}

/** Returns a short piece as text, to be joined with its neighbors. Pieces are split between characters. */
function slicePiece(bytes: Buffer, from: number, to: number): string | Buffer {
  return to - from <= SHORT_BYTES ? bytes.toString('utf8', from, to) : bytes.subarray(from, to);
}

const SHORT_BYTES = 256;

/** Returns whether the frame is one line of valid UTF-8 that ends with a closing brace. */
export function isForwardable(frame: Frame): boolean {
  const last = frame.at(-1);
  if (last === undefined || last[last.length - 1] !== CLOSE_BRACE) return false;
  for (const piece of frame) if (piece.indexOf(LF) !== -1 || piece.indexOf(CR) !== -1) return false;
  return isUtf8Frame(frame);
}

const LF = 10;
const CR = 13;
const CLOSE_BRACE = 125;
