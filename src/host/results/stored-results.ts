import { randomHex } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { characterStart, nextCharacter } from './character-boundary.ts';

/** A whole result of which an agent was given only a part. */
export interface StoredResult {
  /** All text of it, made harmless. */
  readonly text: string;
  /** What is not part of that text: base64 of media, JSON of structured content. `part: 1` is the first of them. */
  readonly parts: readonly string[];
}

/** What a model calls to read on. */
export const READ_RESULT_TOOL = 'mcp_result_read';

/** A stretch of the text or of one part. All numbers are bytes of UTF-8. */
export interface ResultPiece {
  readonly text: string;
  readonly start: number;
  /** Where the next one begins. */
  readonly end: number;
  /** How long the whole is. */
  readonly total: number;
  /** How much of it is kept: less than `total` when it alone was over the limit. */
  readonly kept: number;
}

export interface StoredResults {
  /** Returns the reference by which it can be read until newer results push it out. */
  store(whole: StoredResult): string;
  read(reference: string, place?: PiecePlace): ResultPiece;
}

export interface PiecePlace {
  readonly offset?: number | undefined;
  /** Rounded to whole characters; at least one is read. */
  readonly length?: number | undefined;
  /** Instead of the text, counted from 1. */
  readonly part?: number | undefined;
}

export const DEFAULT_PIECE_BYTES = 32 * 1024;

/** Keeps the latest results for whoever wants to read on. The oldest go first. */
export function createStoredResults({ maxResults = 32, maxBytes = 64 * 1024 * 1024 } = {}): StoredResults {
  const results = new Map<string, StoredEntry>();
  let count = 0;
  let bytes = 0;
  return {
    store(whole) {
      const entry = toEntry(whole, maxBytes);
      const reference = `result-${++count}-${randomHex(4)}`;
      results.set(reference, entry);
      bytes += entry.bytes;
      for (const [oldest, { bytes: freed }] of results) {
        if (oldest === reference || (results.size <= maxResults && bytes <= maxBytes)) break;
        results.delete(oldest);
        bytes -= freed;
      }
      return reference;
    },
    read(reference, place = {}) {
      const entry = results.get(reference);
      if (entry === undefined) throw unknownReference(reference);
      return readPiece(findPart(entry, reference, place.part), place);
    },
  };
}

interface StoredEntry {
  /** The text, then the parts. */
  readonly texts: readonly StoredText[];
  readonly bytes: number;
}

interface StoredText {
  readonly bytes: Buffer;
  readonly total: number;
}

/** What alone is over the limit loses its end, so that the memory stays within it whatever a server sends. */
function toEntry({ text, parts }: StoredResult, maxBytes: number): StoredEntry {
  let remaining = maxBytes;
  const texts = [text, ...parts].map((whole) => {
    const all = Buffer.from(whole);
    const end = remaining < all.length ? characterStart(all, remaining) : all.length;
    remaining -= end;
    // Copied: a view would keep the whole in memory.
    return { bytes: end < all.length ? Buffer.from(all.subarray(0, end)) : all, total: all.length };
  });
  return { texts, bytes: maxBytes - remaining };
}

/** It names no other: a reference is known to whoever was given it. */
function unknownReference(reference: string): AppError {
  const quoted = JSON.stringify(oneLine(reference, 100));
  return new AppError('RESOURCE_NOT_FOUND', `No result is kept under ${quoted}; the oldest go first.`);
}

function findPart({ texts }: StoredEntry, reference: string, part = 0): StoredText {
  const found = texts[part];
  if (found !== undefined) return found;
  const last = texts.length - 1;
  const which = last === 0 ? 'it has its text alone' : `it has its text and the parts 1 to ${last}`;
  throw new AppError('RESOURCE_NOT_FOUND', `The result ${reference} has no part ${part}: ${which}.`);
}

function readPiece(
  { bytes, total }: StoredText,
  { offset = 0, length = DEFAULT_PIECE_BYTES }: PiecePlace,
): ResultPiece {
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > total) {
    throw new AppError('BAD_ARGUMENTS', `offset must be a whole number from 0 to ${total}, and is ${offset}.`);
  }
  if (!Number.isSafeInteger(length) || length < 1) {
    throw new AppError('BAD_ARGUMENTS', `length must be a whole number above 0, and is ${length}.`);
  }
  const start = characterStart(bytes, Math.min(offset, bytes.length));
  const limit = Math.min(start + length, bytes.length);
  // Whoever asks for less than a character gets one: otherwise nobody could read on.
  const end = characterStart(bytes, limit) > start ? characterStart(bytes, limit) : nextCharacter(bytes, limit);
  return { text: bytes.toString('utf8', start, end), start, end, total, kept: bytes.length };
}
