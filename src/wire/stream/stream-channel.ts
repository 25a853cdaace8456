import type { Readable } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import { type Frame, frameLength } from '../frame.ts';
import type { ByteBudget } from './byte-budget.ts';
import { createFramer, type FrameSink, type Framing } from './framing.ts';
import { type ByteSink, createOutbox, type Outbox } from './outbox.ts';

export interface ChannelReceiver {
  frame(frame: Frame): void;
  /** A message was left out (too large, bad header); reading goes on. `beginning` holds its first bytes, if known. */
  reportError(error: AppError, beginning?: Buffer): void;
  /** The oversized message of the last fault has ended. `ending` holds its last bytes. */
  oversizedEnded?(ending: Buffer): void;
  /** Called once: the other side is done, or the stream broke. */
  end(end: ChannelEnd): void;
}

interface ChannelEnd {
  /** What the other side had begun to say. */
  readonly rest: Frame | undefined;
  /** Why we ended it: the other side does not read, and what we have for it is beyond all bounds. */
  readonly failure: AppError | undefined;
}

export interface StreamChannelOptions {
  readonly input: Readable;
  readonly output: ByteSink & { on(event: 'error' | 'close', listener: () => void): unknown };
  readonly maxMessageBytes?: number;
  /** Shared with other channels: what the messages that have not ended yet may hold together. */
  readonly unfinishedBytes?: ByteBudget;
  /** How both sides speak. Default: as the other side begins; a line per message before that. */
  readonly framing?: Framing;
  /**
   * Reads on while the other side does not. For a server: it may be waiting to be rid of its answers before it reads
   * again, and what we have for it is bounded elsewhere. A server that closes its stdin or ends may have answered before:
   * the channel reads to the end of its output, at most `LAST_OUTPUT_MS`.
   */
  readonly readsAlways?: boolean;
  /** The other side does not read as fast as we write; `onDrained` follows. */
  readonly onFull?: () => void;
  readonly onDrained?: () => void;
}

export interface StreamChannel extends Pick<Outbox, 'send' | 'flush' | 'queuedBytes' | 'nextSequence' | 'isUnsent'> {
  /** Stops reading; what is queued is still written. */
  stop(): void;
  /** Reading rests until `resume`. */
  pause(): void;
  resume(): void;
}

/** So much may be read from a side that does not read; then reading stops. */
const MAX_WAITING_BYTES = 1024 * 1024;
const CLIENT_DRAIN_MS = 30_000;
const LAST_OUTPUT_MS = 500;

/**
 * Messages over two byte streams: framing recognised on the way in, answered in kind on the way out.
 * While the other side does not read, we do not work for it, and soon do not read from it either.
 */
export function openStreamChannel(options: StreamChannelOptions, receiver: ChannelReceiver): StreamChannel {
  const { input, output, readsAlways = false, maxMessageBytes: maxBytes, unfinishedBytes: budget } = options;
  /** Messages that came while the output was full. Reading goes on for a while, so that an end is noticed. */
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
    // Stopped by what it held: the rest of it is let go too.
    if (ended) framer.end();
  };

  /** Gives what the other side had begun to say. */
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
  /** The input is over, but what came before its end and still waits is part of it, for a while. */
  const finishInput = () => {
    if (backlog.bytes === 0 || ended) return finish();
    closeTimer ??= setTimeout(
      () => finish(new AppError('BUSY', 'The client left and did not read its answers.')),
      CLIENT_DRAIN_MS,
    );
    output.once('drain', finishInput);
  };
  /** Nobody is left to read our messages: the same as the end of the input, unless it may still hold answers. */
  const finishOutput = () => {
    if (!readsAlways) return finish();
    if (!ended) closeTimer ??= setTimeout(finish, LAST_OUTPUT_MS);
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
    if (!ended && backlog.bytes <= MAX_WAITING_BYTES) input.resume();
  };
  return { send, flush, queuedBytes, nextSequence, isUnsent, stop: () => void stop(), pause, resume };
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
