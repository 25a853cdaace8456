import type { AppError } from '../../base/errors.ts';
import type { Frame } from '../frame.ts';
import type { ByteBudget } from './byte-budget.ts';
import { createContentLengthSplitter } from './content-length.ts';
import { createLineSplitter } from './ndjson.ts';

export type Framing = 'ndjson' | 'content-length';

/** The limit on one message, unless the caller sets another one. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface FrameSink {
  /** One whole message. Its buffers belong to the receiver. */
  frame(frame: Frame): void;
  /** Reports input that is not a valid message and was skipped. Reading continues after it. */
  reportError(error: AppError, beginning?: Buffer): void;
  /** Called when the oversized message of the last error has ended. `ending` holds its last bytes. */
  oversizedEnded?(ending: Buffer): void;
}

/** Splits a byte stream into frames. Push every chunk once, then call `end`, which releases all buffers. */
export interface Framer {
  push(chunk: Buffer): void;
  /** Returns the unterminated rest of the stream, if there is one. It may be half a message. */
  end(): Frame | undefined;
}

/** Limits on an unfinished message: alone, and together with those of other streams. */
export interface FrameLimits {
  readonly maxBytes: number;
  readonly budget: ByteBudget | undefined;
}

export interface FramerOptions {
  /** The framing, if it is known in advance. Otherwise the first bytes decide. */
  readonly framing?: Framing | undefined;
  readonly maxBytes?: number | undefined;
  readonly budget?: ByteBudget | undefined;
  /** Called once, before the first frame. */
  readonly onFraming?: (framing: Framing) => void;
}

/** Chooses between NDJSON and Content-Length by the first bytes of the stream, then delegates to that splitter. */
export function createFramer(sink: FrameSink, options: FramerOptions = {}): Framer {
  const limits = { maxBytes: options.maxBytes ?? DEFAULT_MAX_MESSAGE_BYTES, budget: options.budget };
  let undecided: Buffer | undefined;
  let splitter: Framer | undefined;

  const decide = (first: Buffer, { isEnd }: { isEnd: boolean }) => {
    if (options.framing !== undefined) return begin(options.framing, first);
    // Nearly every stream begins with a brace, and this shortcut makes the start faster.
    if (first[0] === OPENING_BRACE) return begin('ndjson', first);
    const start = stripByteOrderMark(first);
    const framing = start === undefined && !isEnd ? undefined : detectFraming(start ?? first, { isEnd });
    if (framing !== undefined) begin(framing, start ?? first);
  };

  const begin = (framing: Framing, first: Buffer) => {
    options.onFraming?.(framing);
    splitter = framing === 'ndjson' ? createLineSplitter(sink, limits) : createContentLengthSplitter(sink, limits);
    undecided = undefined;
    splitter.push(first);
  };

  return {
    push(chunk) {
      if (splitter !== undefined) return splitter.push(chunk);
      undecided = undecided === undefined ? chunk : Buffer.concat([undecided, chunk]);
      decide(undecided, { isEnd: false });
    },
    end() {
      if (undecided !== undefined) decide(undecided, { isEnd: true });
      return splitter?.end();
    },
  };
}

const OPENING_BRACE = 123;
const HEADER = 'content-';

/** Returns undefined while the bytes could still be either. Output that begins with junk is read as lines. */
function detectFraming(first: Buffer, { isEnd }: { isEnd: boolean }): Framing | undefined {
  const start = first.toString('latin1', 0, 64).trimStart().slice(0, HEADER.length).toLowerCase();
  if (start === HEADER) return 'content-length';
  if (HEADER.startsWith(start) && !isEnd && first.length < 64) return undefined;
  return 'ndjson';
}

const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf];

/** Returns undefined while the bytes could still become the mark. */
function stripByteOrderMark(first: Buffer): Buffer | undefined {
  const seen = BYTE_ORDER_MARK.findIndex((byte, index) => first[index] !== byte);
  if (seen === -1) return first.subarray(BYTE_ORDER_MARK.length);
  return seen === first.length ? undefined : first;
}
