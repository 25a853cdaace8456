import { checksum } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';

export interface Page {
  readonly text: string;
  /** The cursor of the page after this one; undefined for the last. */
  readonly next?: string;
}

export interface PageQuery {
  /** `next` of the page before; undefined for the first. */
  readonly cursor?: string | undefined;
  /** The size of a page, in characters of JSON. */
  readonly maxChars: number;
}

/**
 * Returns one page of a long text. The pages joined are the text, character for character. A cursor carries a checksum,
 * so that pages of two different texts are never mixed: throws BAD_ARGUMENTS for a cursor of another text.
 */
export function toPage(text: string, { cursor, maxChars }: PageQuery): Page {
  const start = cursor === undefined ? 0 : parseCursor(cursor, text);
  const end = endOfPage(text, start, maxChars);
  const page = text.slice(start, end);
  return end === text.length ? { text: page } : { text: page, next: `${checksumOf(text)}-${end}` };
}

function parseCursor(cursor: string, text: string): number {
  const [, sum, offset] = /^([0-9a-f]{8})-(\d{1,12})$/.exec(cursor) ?? [];
  if (sum === checksumOf(text) && Number(offset) <= text.length) return Number(offset);
  throw new AppError(
    'BAD_ARGUMENTS',
    `The cursor ${cursor} does not belong to the current text. Read it again from the start, without a cursor.`,
  );
}

function endOfPage(text: string, start: number, maxChars: number): number {
  let length = Math.min(text.length - start, maxChars);
  for (;;) {
    const written = JSON.stringify(text.slice(start, start + length)).length - 2;
    if (written <= maxChars) break;
    length = Math.max(1, Math.floor((length * maxChars) / written));
    if (length === 1) break;
  }
  const end = start + length;
  // A pair of surrogates stays together: half of one is not valid text.
  const splitsPair = end < text.length && /[\ud800-\udbff]/.test(text.charAt(end - 1));
  if (!splitsPair) return end;
  return end - 1 > start ? end - 1 : end + 1;
}

function checksumOf(text: string): string {
  return checksum(Buffer.from(text));
}
