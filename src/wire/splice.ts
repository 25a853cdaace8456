import { type Frame, frameBytes, isUtf8Frame } from './frame.ts';
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
  /** The answer with another id, given as JSON text; every other byte is the one that came. */
  withId(idText: string): Spliced;
}

/**
 * Recognises a result without building its value. Undefined means: parse it (an error, a broken message, bytes that
 * are not clean UTF-8 on one line).
 *
 * Exact, because what is let through reaches a client's stream unparsed: a line that is no JSON can cost the client all
 * its servers, and a second id or a second message hidden in it could answer in another server's name.
 */
export function readResult(frame: Frame): ResultFrame | undefined {
  const bytes = forwardableBytes(frame);
  const members = bytes === undefined ? undefined : scanMembers(bytes);
  if (bytes === undefined || members === undefined) return undefined;
  const id = findOnly(members, 'id');
  const result = findOnly(members, 'result');
  if (id === undefined || result === undefined) return undefined;
  if (members.some((member) => isNamed(member, 'error') || isNamed(member, 'method'))) return undefined;
  const value = readDigits(bytes, id);
  if (value === undefined) return undefined;
  return { id: value, withId: (text) => replace(bytes, [{ start: id.start, end: id.end, text }]) };
}

/** One member to be replaced: `path` leads to it from the top, `text` is JSON. No path may lead into another's member. */
export interface Edit {
  readonly path: readonly string[];
  readonly text: string;
}

/**
 * Replaces members in place and leaves every other byte alone. A member that occurs twice is replaced twice; one that
 * does not occur is left out. Undefined when the bytes are no JSON object that could be forwarded.
 */
export function spliceMembers(frame: Frame, edits: readonly Edit[]): Spliced | undefined {
  const bytes = forwardableBytes(frame);
  const members = bytes === undefined ? undefined : scanMembers(bytes);
  if (bytes === undefined || members === undefined) return undefined;
  const found: Replacement[] = [];
  for (const { path, text } of edits) {
    const places = locate(bytes, members, path);
    if (places.some(({ key }) => key !== path.at(-1))) return undefined;
    for (const { start, end } of places) found.push({ start, end, text });
  }
  found.sort((a, b) => a.start - b.start);
  return replace(bytes, found);
}

function locate(bytes: Buffer, members: readonly Member[], [key = '', ...rest]: readonly string[]): Member[] {
  const here = members.filter((member) => isNamed(member, key));
  if (rest.length === 0) return here;
  return here.flatMap(({ start, end }) => locate(bytes, scanMembers(bytes, start, end) ?? [], rest));
}

function findOnly(members: readonly Member[], name: string): Member | undefined {
  const member = members.find((candidate) => isNamed(candidate, name));
  if (member?.key !== name) return undefined;
  return member === members.findLast((candidate) => isNamed(candidate, name)) ? member : undefined;
}

/** Some parsers (Go's among them) do not tell `ID` from `id`: a name that is meant to fool them must not pass for another. */
function isNamed({ key }: Member, name: string): boolean {
  return key === name || (key.length === name.length && key.toUpperCase() === name.toUpperCase());
}

interface Replacement {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

function replace(bytes: Buffer, replacements: readonly Replacement[]): Spliced {
  const pieces: (string | Buffer)[] = [];
  let length = bytes.length;
  let from = 0;
  for (const { start, end, text } of replacements) {
    pieces.push(bytes.subarray(from, start), text);
    length += Buffer.byteLength(text) - (end - start);
    from = end;
  }
  pieces.push(bytes.subarray(from));
  return { pieces, bytes: length };
}

/** One line of clean UTF-8 that ends as an object does; refused before anything is copied. */
function forwardableBytes(frame: Frame): Buffer | undefined {
  const last = frame.at(-1);
  if (last === undefined || last[last.length - 1] !== CLOSE_BRACE) return undefined;
  if (frame.some((piece) => piece.includes(LF) || piece.includes(CR)) || !isUtf8Frame(frame)) return undefined;
  return frameBytes(frame);
}

const LF = 10;
const CR = 13;
const CLOSE_BRACE = 125;
const MAX_DIGITS = 15;

function readDigits(bytes: Buffer, { start, end }: Member): number | undefined {
  if (end - start > MAX_DIGITS) return undefined;
  const text = bytes.toString('latin1', start, end);
  return /^\d+$/.test(text) ? Number(text) : undefined;
}
