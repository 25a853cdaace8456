import type { Readable } from 'node:stream';
import type { AppError } from '../../base/errors.ts';
import { frameText } from '../../wire/frame.ts';
import type { StreamChannelOptions } from '../../wire/stream/stream-channel.ts';
import { StdioFront } from './stdio-front.ts';
import type { Transport, TransportReceiver } from './transport.ts';

export interface StdioTransportOptions {
  /** Default: this process's stdin. */
  readonly input?: Readable;
  /** Default: this process's stdout, and everything else that is written there goes to stderr instead. */
  readonly output?: StreamChannelOptions['output'];
  readonly maxMessageBytes?: number;
}

/** One JSON-RPC message per line over stdin and stdout; a client that begins with `Content-Length` is answered in kind. */
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
        // A last line without its line end is still a message.
        if (rest !== undefined) receiver.message(frameText(rest));
        receiver.end();
      },
    });
  }

  send(message: string): void {
    this.#front.send(message);
  }

  /** Stops serving at once; the process has been told to end. */
  stop(): void {
    this.#front.stop();
    this.#receiver?.stop();
  }

  close(): Promise<void> {
    return this.#front.close();
  }

  /** Why answers were lost; undefined when none were. */
  failure(): AppError | undefined {
    return this.#front.failure();
  }
}
