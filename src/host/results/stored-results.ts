import { randomHex } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { characterStart, nextCharacter } from './character-boundary.ts';

/** A complete result of which the agent received only a part. */
export interface StoredResult {
  /** All text of the result, neutralized. */
  readonly text: string;
  /** Data outside that text: base64 of media, JSON of structured content. `part: 1` is the first of them. */
  readonly parts: readonly string[];
}

/** Name of the model tool that reads on. */
export const READ_RESULT_TOOL = 'mcp_result_read';

/** A range of the text or of one part. All numbers are UTF-8 bytes. */
export interface ResultPiece {
  readonly text: string;
  readonly start: number;
  /** Offset of the next piece. */
  readonly end: number;
  /** Length of the whole. */
  readonly total: number;
  /** Stored length: less than `total` when the text alone exceeds the limit. */
  readonly kept: number;
}

export interface StoredResults {
  /** Stores a result. Returns the reference under which it can be read until newer results evict it. */
  store(whole: StoredResult): string;
  read(reference: string, place?: PiecePlace): ResultPiece;
}

export interface PiecePlace {
  readonly offset?: number | undefined;
  /** Rounded to whole characters; at least one is read. */
  readonly length?: number | undefined;
  /** Number of a part, from 1, to read instead of the text. */
  readonly part?: number | undefined;
}

export const DEFAULT_PIECE_BYTES = 32 * 1024;

/** Keeps the latest results for further reading. Evicts the oldest first. */
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

/** Truncates a result that alone exceeds the limit, so that memory stays bounded whatever a server sends. */
function toEntry({ text, parts }: StoredResult, maxBytes: number): StoredEntry {
  let remaining = maxBytes;
  const texts = [text, ...parts].map((whole) => {
    const all = Buffer.from(whole);
    const end = remaining < all.length ? characterStart(all, remaining) : all.length;
    remaining -= end;
    // Copied: a view would keep the whole buffer in memory.
    return { bytes: end < all.length ? Buffer.from(all.subarray(0, end)) : all, total: all.length };
  });
  return { texts, bytes: maxBytes - remaining };
}

/** Names no other reference: a reference is known only to the caller that received it. */
function unknownReference(reference: string): AppError {
  const quoted = JSON.stringify(oneLine(reference, 100));
  return new AppError('RESOURCE_NOT_FOUND', `No result is stored under ${quoted}; the oldest are removed first.`);
}

function findPart({ texts }: StoredEntry, reference: string, part = 0): StoredText {
  const found = texts[part];
  if (found !== undefined) return found;
  const last = texts.length - 1;
  const which = last === 0 ? 'it has only its text' : `it has its text and the parts 1 to ${last}`;
  throw new AppError('RESOURCE_NOT_FOUND', `The result ${reference} has no part ${part}: ${which}.`);
}

function readPiece(
  { bytes, total }: StoredText,
  { offset = 0, length = DEFAULT_PIECE_BYTES }: PiecePlace,
): ResultPiece {
  if (!Number.isSafeInteger(offset) || offset < 0 || offset > total) {
    throw new AppError('BAD_ARGUMENTS', `offset must be a whole number from 0 to ${total}, but is ${offset}.`);
  }
  if (!Number.isSafeInteger(length) || length < 1) {
    throw new AppError('BAD_ARGUMENTS', `length must be a whole number above 0, but is ${length}.`);
  }
  const start = characterStart(bytes, Math.min(offset, bytes.length));
  const limit = Math.min(start + length, bytes.length);
  // Returns at least one character even for a shorter length. Otherwise the reader could not advance.
  const end = characterStart(bytes, limit) > start ? characterStart(bytes, limit) : nextCharacter(bytes, limit);
  return { text: bytes.toString('utf8', start, end), start, end, total, kept: bytes.length };
}
