import type { Readable } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import { frameText } from '../../wire/frame.ts';
import type { ByteSink } from '../../wire/outbox.ts';
import { openStreamChannel, type StreamChannel, type StreamChannelOptions } from '../../wire/stream-channel.ts';
import type { Transport, TransportReceiver } from '../transport.ts';

export interface StdioTransportOptions {
  /** Default: this process's stdin. */
  readonly input?: Readable;
  /** Default: this process's stdout, and everything else that is written there goes to stderr instead. */
  readonly output?: StreamChannelOptions['output'];
  readonly maxMessageBytes?: number;
}

/** One JSON-RPC message per line over stdin and stdout; a client that begins with `Content-Length` is answered in kind. */
export class StdioTransport implements Transport {
  readonly #options: StdioTransportOptions;
  readonly #output: StreamChannelOptions['output'];
  #channel: StreamChannel | undefined;
  #receiver: TransportReceiver | undefined;

  constructor(options: StdioTransportOptions = {}) {
    this.#options = options;
    this.#output = options.output ?? takeStdout();
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    const { input = process.stdin, maxMessageBytes } = this.#options;
    this.#channel = openStreamChannel(
      { input, output: this.#output, ...(maxMessageBytes === undefined ? {} : { maxMessageBytes }) },
      {
        frame: (frame) => receiver.message(frameText(frame)),
        fault: (error) => receiver.fault(error),
        end(rest) {
          // A last line without its line end is still a message.
          if (rest !== undefined) receiver.message(frameText(rest));
          receiver.end();
        },
      },
    );
  }

  send(message: string): void {
    this.#channel?.send(message);
  }

  /** Stops serving at once; the process has been told to end. */
  stop(): void {
    this.#receiver?.stop();
  }

  async close(): Promise<void> {
    this.#channel?.stop();
    this.#channel?.flush();
    await drained(this.#output);
  }
}

/**
 * Keeps stdout for the protocol: a stray `console.log` or `process.stdout.write` of anybody else lands on stderr,
 * where it does no harm.
 */
function takeStdout(): StreamChannelOptions['output'] {
  const { stdout } = process;
  if (Object.hasOwn(stdout, TAKEN))
    throw new AppError('USAGE', 'stdout is served already: serve one server on stdio, once.');
  Object.defineProperty(stdout, TAKEN, { value: true });
  const write = stdout.write.bind(stdout);
  // stderr is looked up when it is needed: to open it costs time at the start.
  stdout.write = ((...args: Parameters<typeof stdout.write>) => process.stderr.write(...args)) as typeof stdout.write;
  return {
    write: (chunk, encoding) => write(chunk, encoding),
    cork: () => stdout.cork(),
    uncork: () => stdout.uncork(),
    get writableLength() {
      return stdout.writableLength;
    },
    once: (event, listener) => stdout.once(event, listener),
    on: (event, listener) => stdout.on(event, listener),
  };
}

const TAKEN = Symbol.for('switchboard.stdout-is-taken');

/** A client that has stopped reading must not keep us alive for ever. */
const FLUSH_MS = 2_000;

function drained(output: ByteSink): Promise<void> {
  if (output.writableLength === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, FLUSH_MS);
    output.once('drain', () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
