import type { Readable } from 'node:stream';
import type { AppError } from '../base/errors.ts';
import type { Frame } from './frame.ts';
import { createFramer, type FrameSink } from './framing.ts';
import { type ByteSink, createOutbox, type Outbox } from './outbox.ts';

export interface ChannelReceiver {
  frame(frame: Frame): void;
  /** A message was left out (too large, bad header); reading goes on. */
  fault(error: AppError): void;
  /** Called once: the other side is done, or the stream broke. `rest` is what it had begun to say. */
  end(rest: Frame | undefined): void;
}

export interface StreamChannelOptions {
  readonly input: Readable;
  readonly output: ByteSink & { on(event: 'error' | 'close', listener: () => void): unknown };
  readonly maxMessageBytes?: number;
}

export interface StreamChannel extends Pick<Outbox, 'send' | 'sendPieces' | 'flush'> {
  /** Stops reading; what is queued is still written. */
  stop(): void;
}

/**
 * Messages over two byte streams: framing recognised on the way in, answered in kind on the way out.
 * While the other side does not read, we do not read either.
 */
export function openStreamChannel(options: StreamChannelOptions, receiver: ChannelReceiver): StreamChannel {
  const { input, output } = options;
  let ended = false;

  const outbox = createOutbox(output, {
    onFull: () => input.pause(),
    onDrained: () => {
      if (!ended) input.resume();
    },
    onOverflow: (error) => {
      receiver.fault(error);
      finish();
    },
  });

  // One chunk may hold many messages: those behind the one that made us stop are not read any more.
  const whileOpen: FrameSink = {
    frame(frame) {
      if (!ended) receiver.frame(frame);
    },
    fault(error) {
      if (!ended) receiver.fault(error);
    },
  };
  const framer = createFramer(whileOpen, { maxBytes: options.maxMessageBytes, onFraming: outbox.setFraming });
  const onData = (chunk: Buffer) => framer.push(chunk);

  const stop = () => {
    ended = true;
    input.off('data', onData);
    input.pause();
  };

  const finish = () => {
    if (ended) return;
    stop();
    receiver.end(framer.end());
  };

  input.on('data', onData);
  input.once('end', finish);
  input.once('close', finish);
  input.on('error', finish);
  // Nobody is left to read our answers: the same as the end of the input.
  output.on('error', finish);
  output.on('close', finish);
  return { send: outbox.send, sendPieces: outbox.sendPieces, flush: outbox.flush, stop };
}
