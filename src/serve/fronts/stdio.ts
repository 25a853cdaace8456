import type { Readable } from 'node:stream';
import type { AppError } from '../../base/errors.ts';
import { frameText } from '../../wire/frame.ts';
import type { StreamChannelOptions } from '../../wire/stream/stream-channel.ts';
import { StdioFront } from './stdio-front.ts';
import type { Transport, TransportReceiver } from './transport.ts';

export interface StdioTransportOptions {
  /** Default: this process's stdin. */
  readonly input?: Readable;
  /** Default: this process's stdout. All other writes to stdout are then redirected to stderr. */
  readonly output?: StreamChannelOptions['output'];
  readonly maxMessageBytes?: number;
}

/**
 * Sends one JSON-RPC message per line over stdin and stdout. A client that starts with `Content-Length` gets the same
 * framing.
 */
export class StdioTransport implements Transport {
  readonly #front: StdioFront;
  #receiver: TransportReceiver | undefined;

  constructor(options: StdioTransportOptions = {}) {
    this.#front = new StdioFront(options);
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    this.#front.start({
      frame: (frame) => receiver.message(frameText(frame)),
      reportError: (error) => receiver.fault(error),
      end({ rest }) {
        // A last line without a line break is still a message.
        if (rest !== undefined) receiver.message(frameText(rest));
        receiver.end();
      },
    });
  }

  send(message: string): void {
    this.#front.send(message);
  }

  /** Stops serving immediately, because the process has been asked to exit. */
  stop(): void {
    this.#front.stop();
    this.#receiver?.stop();
  }

  close(): Promise<void> {
    return this.#front.close();
  }

  /** Returns why responses were lost, or undefined if none were. */
  failure(): AppError | undefined {
    return this.#front.failure();
  }
}
