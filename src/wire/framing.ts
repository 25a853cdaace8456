import type { AppError } from '../base/errors.ts';
import { createContentLengthSplitter } from './content-length.ts';
import type { Frame } from './frame.ts';
import { createLineSplitter } from './ndjson.ts';

export type Framing = 'ndjson' | 'content-length';

/** The limit on one message unless the caller names another. */
export const DEFAULT_MAX_MESSAGE_BYTES = 64 * 1024 * 1024;

export interface FrameSink {
  /** One whole message. Its buffers belong to the receiver. */
  frame(frame: Frame): void;
  /** Something in the stream was not a message and was left out; what follows it is still read. */
  fault(error: AppError): void;
}

/** Turns a byte stream into frames. Feed it every chunk once, then call `end` once. */
export interface Framer {
  push(chunk: Buffer): void;
  /** The unterminated rest of the stream, if there is one: it may be half a message. */
  end(): Frame | undefined;
}

export interface FramerOptions {
  readonly maxBytes?: number | undefined;
  /** Called once, before the first frame. */
  readonly onFraming?: (framing: Framing) => void;
}

/** Chooses between NDJSON and Content-Length by the first bytes of the stream, then leaves the work to that splitter. */
export function createFramer(sink: FrameSink, options: FramerOptions = {}): Framer {
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_MESSAGE_BYTES;
  let undecided: Buffer | undefined;
  let splitter: Framer | undefined;

  const decide = (first: Buffer, isEnd: boolean) => {
    const start = withoutByteOrderMark(first);
    const framing = start === undefined && !isEnd ? undefined : recognise(start ?? first, isEnd);
    if (framing === undefined) return;
    options.onFraming?.(framing);
    splitter = framing === 'ndjson' ? createLineSplitter(sink, maxBytes) : createContentLengthSplitter(sink, maxBytes);
    undecided = undefined;
    splitter.push(start ?? first);
  };

  return {
    push(chunk) {
      if (splitter !== undefined) return splitter.push(chunk);
      undecided = undecided === undefined ? chunk : Buffer.concat([undecided, chunk]);
      decide(undecided, false);
    },
    end() {
      if (undecided !== undefined) decide(undecided, true);
      return splitter?.end();
    },
  };
}

const HEADER = 'content-';

/** Undefined while the bytes could still become either. A program that prints junk first is read as lines. */
function recognise(first: Buffer, isEnd: boolean): Framing | undefined {
  const start = first.toString('latin1', 0, 64).trimStart().slice(0, HEADER.length).toLowerCase();
  if (start === HEADER) return 'content-length';
  if (HEADER.startsWith(start) && !isEnd && first.length < 64) return undefined;
  return 'ndjson';
}

const BYTE_ORDER_MARK = Buffer.from('\ufeff');

/** Undefined while the bytes could still become the mark. */
function withoutByteOrderMark(first: Buffer): Buffer | undefined {
  const start = first.subarray(0, BYTE_ORDER_MARK.length);
  if (start.equals(BYTE_ORDER_MARK)) return first.subarray(BYTE_ORDER_MARK.length);
  return start.equals(BYTE_ORDER_MARK.subarray(0, start.length)) ? undefined : first;
}
