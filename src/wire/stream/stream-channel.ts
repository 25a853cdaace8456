import type { Readable } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import { type Frame, frameLength } from '../frame.ts';
import type { ByteBudget } from './byte-budget.ts';
import { createFramer, type FrameSink, type Framing } from './framing.ts';
import { type ByteSink, createOutbox, type Outbox } from './outbox.ts';

export interface ChannelReceiver {
  frame(frame: Frame): void;
  /** Reports a skipped message (too large, bad header). Reading continues. `beginning`: its first bytes, if known. */
  reportError(error: AppError, beginning?: Buffer): void;
  /** Called when the oversized message of the last error has ended. `ending` holds its last bytes. */
  oversizedEnded?(ending: Buffer): void;
  /** Called once, when the other side has ended the stream or the stream broke. */
  end(end: ChannelEnd): void;
}

interface ChannelEnd {
  /** The beginning of a message that the other side did not finish. */
  readonly rest: Frame | undefined;
  /** Why we ended the channel: the other side does not read, and too much is queued for it. */
  readonly failure: AppError | undefined;
}

export interface StreamChannelOptions {
  readonly input: Readable;
  readonly output: ByteSink & { on(event: 'error' | 'close', listener: () => void): unknown };
  readonly maxMessageBytes?: number;
  /** Limit on unfinished messages, shared with other channels. */
  readonly unfinishedBytes?: ByteBudget;
  /** The framing of both sides. Default: the one with which the other side begins; NDJSON before that. */
  readonly framing?: Framing;
  /**
   * Continues to read while the other side does not. For a server: it may have to write its responses before it reads
   * again, and the messages queued for it are limited elsewhere. A server that closes its stdin or exits may have
   * responded before: the channel reads to the end of its output, for at most `LAST_OUTPUT_MS` without a pause.
   */
  readonly readsAlways?: boolean;
  /** Called when the other side does not read as fast as we write; `onDrained` follows. */
  readonly onFull?: () => void;
  readonly onDrained?: () => void;
}

export interface StreamChannel extends Pick<Outbox, 'send' | 'flush' | 'queuedBytes' | 'nextSequence' | 'isUnsent'> {
  /** Stops reading. Queued messages are still written. */
  stop(): void;
  /** Pauses reading until `resume`. */
  pause(): void;
  resume(): void;
}

/** How much is read from a side that does not read itself, before reading stops. */
const MAX_WAITING_BYTES = 1024 * 1024;
/** How long the other side may read nothing after it has ended the input. */
const CLIENT_DRAIN_MS = 30_000;
const LAST_OUTPUT_MS = 500;

/**
 * Opens a channel for messages over two byte streams. It detects the framing of the input and uses it for the output.
 * While the other side does not read, the channel delivers none of its messages, and soon stops reading from it too.
 */
export function openStreamChannel(options: StreamChannelOptions, receiver: ChannelReceiver): StreamChannel {
  const { input, output, readsAlways = false, maxMessageBytes: maxBytes, unfinishedBytes: budget } = options;
  /** Messages that arrived while the output was full. Reading continues for a while, so that an end is noticed. */
  const backlog = createBacklog();
  let closeTimer: NodeJS.Timeout | undefined;
  let isFull = false;
  let isPaused = false;
  let ended = false;

  const outbox = createOutbox(output, {
    onFull() {
      isFull = !readsAlways;
      options.onFull?.();
    },
    onDrained() {
      isFull = false;
      options.onDrained?.();
      deliver();
      if (backlog.bytes <= MAX_WAITING_BYTES && !ended && !isPaused) input.resume();
    },
    onOverflow: (error) => finish(error),
  });
  if (options.framing !== undefined) outbox.setFraming(options.framing);

  const deliver = () => {
    while (!isFull && !ended) {
      const frame = backlog.take();
      if (frame === undefined) return;
      receiver.frame(frame);
    }
  };

  const enqueue = (frame: Frame) => {
    backlog.add(frame);
    if (backlog.bytes > MAX_WAITING_BYTES) input.pause();
  };

  const whileOpen: FrameSink = {
    frame(frame) {
      if (ended) return;
      if (isFull) enqueue(frame);
      else receiver.frame(frame);
    },
    reportError: (error, beginning) => (ended ? undefined : receiver.reportError(error, beginning)),
    oversizedEnded: (ending) => (ended ? undefined : receiver.oversizedEnded?.(ending)),
  };
  const framer = createFramer(whileOpen, { framing: options.framing, maxBytes, budget, onFraming: outbox.setFraming });
  const onData = (chunk: Buffer) => {
    framer.push(chunk);
    // A message in this chunk stopped the channel: the rest of the chunk is released too.
    if (ended) framer.end();
  };

  /** Returns the beginning of a message that the other side did not finish. */
  const stop = (): Frame | undefined => {
    if (ended) return undefined;
    ended = true;
    clearTimeout(closeTimer);
    input.off('data', onData);
    input.pause();
    return framer.end();
  };

  const finish = (failure?: AppError) => {
    if (ended) return;
    const rest = stop();
    receiver.end({ rest: failure === undefined ? rest : undefined, failure });
  };
  /** Handles the end of the input. Messages in the backlog are still delivered while the other side reads. */
  const finishInput = () => {
    if (backlog.bytes === 0 || ended) return finish();
    clearTimeout(closeTimer);
    closeTimer = setTimeout(() => finish(responsesUnread()), CLIENT_DRAIN_MS);
    output.once('drain', finishInput);
  };
  /** Handles the end of the output. Nobody reads our messages any more, but the input may still contain responses. */
  const finishOutput = () => {
    if (!readsAlways) return finish();
    // While the channel is paused it reads nothing. `resume` restarts the timer.
    if (!ended) closeTimer ??= setTimeout(() => (isPaused ? undefined : finish()), LAST_OUTPUT_MS);
  };

  input.on('data', onData);
  for (const event of ['end', 'close', 'error']) input.on(event, finishInput);
  for (const event of ['close', 'error'] as const) output.on(event, finishOutput);
  const { send, flush, queuedBytes, nextSequence, isUnsent } = outbox;
  const pause = () => {
    isPaused = true;
    input.pause();
  };
  const resume = () => {
    isPaused = false;
    if (!ended && readsAlways) closeTimer?.refresh();
    if (!ended && backlog.bytes <= MAX_WAITING_BYTES) input.resume();
  };
  return { send, flush, queuedBytes, nextSequence, isUnsent, stop: () => void stop(), pause, resume };
}

function responsesUnread(): AppError {
  return new AppError('BUSY', 'The client disconnected without reading its responses.');
}

function createBacklog() {
  const frames: Frame[] = [];
  let bytes = 0;
  return {
    get bytes() {
      return bytes;
    },
    add(frame: Frame) {
      frames.push(frame);
      bytes += frameLength(frame);
    },
    take(): Frame | undefined {
      const frame = frames.shift();
      if (frame !== undefined) bytes -= frameLength(frame);
      return frame;
    },
  };
}
