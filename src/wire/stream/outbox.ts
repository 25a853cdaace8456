import { AppError } from '../../base/errors.ts';
import type { OutgoingMessage, Spliced } from '../json/splice.ts';
import type { Framing } from './framing.ts';
import { createWriteTracker } from './write-tracker.ts';

/** The part of a stream that an outbox needs. `process.stdout`, a socket and the stdin of a process all have it. */
export interface ByteSink {
  write(chunk: string | Buffer, encoding: BufferEncoding, onWritten?: (error?: Error | null) => void): boolean;
  cork?(): void;
  uncork?(): void;
  readonly writableLength: number;
  readonly destroyed?: boolean;
  once(event: 'drain', listener: () => void): unknown;
}

export interface OutboxOptions {
  /** Above this many pending bytes, `onFull` is called once; `onDrained` follows when they are written. */
  readonly fullBytes?: number;
  /** Above this many, the other side has stopped reading: `onOverflow` is called once, further messages are dropped. */
  readonly maxBytes?: number;
  readonly onFull?: () => void;
  readonly onDrained?: () => void;
  readonly onOverflow?: (error: AppError) => void;
}

export interface Outbox {
  send(message: OutgoingMessage): void;
  /** Writes the queued messages now. */
  flush(): void;
  /** Returns roughly how many bytes are queued here and in the stream. */
  queuedBytes(): number;
  /** Returns the number of the write that will contain the next message, for `isUnsent`. */
  nextSequence(): number;
  /** Returns whether no part of that write has been handed to the operating system yet. */
  isUnsent(sequence: number): boolean;
  setFraming(framing: Framing): void;
}

/**
 * Collects the messages that become ready in one turn of the event loop and writes them at once.
 * One system call per read instead of one per message is the largest saving on this path.
 */
export function createOutbox(sink: ByteSink, options: OutboxOptions = {}): Outbox {
  const fullBytes = options.fullBytes ?? DEFAULT_FULL_BYTES;
  const maxBytes = options.maxBytes ?? DEFAULT_MAX_BYTES;
  let framing: Framing = 'ndjson';
  let text = '';
  let pieces: (string | Buffer)[] = [];
  let queuedLength = 0;
  let scheduled = false;
  let full = false;
  let overflowed = false;
  const writes = createWriteTracker();

  const flush = () => {
    scheduled = false;
    queuedLength = 0;
    const last = text;
    text = '';
    if (pieces.length === 0 && last === '') return;
    const onWritten = writes.beginWrite();
    if (pieces.length === 0) sink.write(last, 'utf8', onWritten);
    else writeTogether(sink, takePieces(last), onWritten);
    checkLimits();
  };

  const takePieces = (last: string) => {
    const taken = pieces;
    pieces = [];
    if (last !== '') taken.push(last);
    return taken;
  };

  const checkLimits = () => {
    const queued = sink.writableLength;
    if (queued > maxBytes && !overflowed) {
      overflowed = true;
      options.onOverflow?.(
        new AppError('BUSY', `${queued} bytes are waiting to be read by the peer; the limit is ${maxBytes}.`),
      );
    }
    if (queued <= fullBytes || full) return;
    full = true;
    options.onFull?.();
    sink.once('drain', () => {
      full = false;
      options.onDrained?.();
    });
  };

  const schedule = (length: number) => {
    queuedLength += length;
    if (queuedLength > MAX_UNWRITTEN_LENGTH) return flush();
    if (scheduled) return;
    scheduled = true;
    // After a read, this runs when everything that was read has been handled. Scheduled in a microtask, it runs after
    // all microtasks: handlers that only await settled promises have responded by then, and one write sends it all.
    process.nextTick(flush);
  };

  /** Queues the pieces without joining the buffers. Texts between them are joined with their neighbors. */
  const sendPieces = ({ pieces: parts, bytes }: Spliced) => {
    if (framing === 'content-length') text += lengthHeader(bytes);
    for (const part of parts) {
      if (typeof part === 'string') {
        text += part;
        continue;
      }
      if (text !== '') pieces.push(text);
      text = '';
      pieces.push(part);
    }
    if (framing === 'ndjson') text += '\n';
    schedule(bytes);
  };

  return {
    send(message) {
      if (overflowed) return;
      if (typeof message !== 'string') return sendPieces(message);
      text += framing === 'ndjson' ? `${message}\n` : `${lengthHeader(Buffer.byteLength(message))}${message}`;
      schedule(message.length);
    },
    flush,
    queuedBytes: () => queuedLength + sink.writableLength,
    nextSequence: writes.nextSequence,
    isUnsent: writes.isUnsent,
    setFraming(chosen) {
      framing = chosen;
    },
  };
}

/** Above the length of most messages: pausing and resuming all senders for each message costs more than its memory. */
const DEFAULT_FULL_BYTES = 2 * 1024 * 1024;
const DEFAULT_MAX_BYTES = 256 * 1024 * 1024;
/** A longer queue is written before the end of the turn: strings have a maximum length, and limits must be checked. */
const MAX_UNWRITTEN_LENGTH = 4 * 1024 * 1024;

function lengthHeader(bytes: number): string {
  return `Content-Length: ${bytes}\r\n\r\n`;
}

function writeTogether(
  sink: ByteSink,
  pieces: readonly (string | Buffer)[],
  onWritten: (error?: Error | null) => void,
): void {
  sink.cork?.();
  const last = pieces.length - 1;
  for (let index = 0; index < last; index++) sink.write(pieces[index] ?? '', 'utf8');
  sink.write(pieces[last] ?? '', 'utf8', onWritten);
  sink.uncork?.();
}
