import { AppError, messageOf } from '../base/errors.ts';
import { type Frame, frameBytes } from './frame.ts';

/**
 * Parses the value in a frame. Throws `PARSE_FAILED` if it is not JSON, and `MESSAGE_TOO_LARGE` if it would cost far
 * more to parse than to receive: a few million brackets take seconds and gigabytes. `parse` replaces `JSON.parse`.
 */
export function parseFrame(frame: Frame, parse: (json: string) => unknown = JSON.parse): unknown {
  const bytes = frameBytes(frame);
  checkComplexity(bytes);
  try {
    return parse(bytes.toString('utf8'));
  } catch (cause) {
    throw new AppError('PARSE_FAILED', `This line is not JSON: ${messageOf(cause)}`, { cause });
  }
}

/** Throws `MESSAGE_TOO_LARGE` for a message that would cost far more to parse than to receive. */
export function checkComplexity(bytes: Buffer): void {
  if (bytes.length <= MAX_UNCHECKED_BYTES || !isTooComplex(bytes)) return;
  const data = { maxDepth: MAX_DEPTH, maxValues: MAX_VALUES };
  throw new AppError('MESSAGE_TOO_LARGE', 'A message is nested too deeply or has too many values.', { data });
}

/** Even the worst message of this size is parsed in less than a tenth of a second. */
const MAX_UNCHECKED_BYTES = 1024 * 1024;
const MAX_DEPTH = 100_000;
const MAX_VALUES = 1_000_000;

/** Counts brackets and commas outside strings. Exact for JSON; for other input it only terminates. */
function isTooComplex(bytes: Buffer): boolean {
  let depth = 0;
  let values = 0;
  for (let at = 0; at < bytes.length; at++) {
    switch (bytes[at]) {
      case QUOTE:
        at = closingQuote(bytes, at);
        break;
      case OPEN_BRACE:
      case OPEN_BRACKET:
        depth++;
        values++;
        break;
      case CLOSE_BRACE:
      case CLOSE_BRACKET:
        depth--;
        break;
      case COMMA:
        values++;
        break;
    }
    if (depth > MAX_DEPTH || values > MAX_VALUES) return true;
  }
  return false;
}

/** Returns the position of the next unescaped quote, or the end. */
function closingQuote(bytes: Buffer, open: number): number {
  for (let at = bytes.indexOf(QUOTE, open + 1); at !== -1; at = bytes.indexOf(QUOTE, at + 1)) {
    let before = at;
    while (bytes[before - 1] === BACKSLASH) before--;
    if ((at - before) % 2 === 0) return at;
  }
  return bytes.length;
}

const QUOTE = 34;
const COMMA = 44;
const OPEN_BRACKET = 91;
const BACKSLASH = 92;
const CLOSE_BRACKET = 93;
const OPEN_BRACE = 123;
const CLOSE_BRACE = 125;
