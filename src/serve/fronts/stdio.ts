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
  #isStopped = false;
  #failure: AppError | undefined;

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
        end: ({ rest, failure }) => {
          this.#failure = failure;
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
    this.#isStopped = true;
    this.#receiver?.stop();
  }

  async close(): Promise<void> {
    this.#channel?.stop();
    this.#channel?.flush();
    const isWritten = await written(this.#output, () => (this.#isStopped ? STOPPED_FLUSH_MS : FLUSH_MS));
    if (!isWritten && !this.#isStopped) this.#failure ??= new AppError('BUSY', 'The client did not read all answers.');
  }

  /** Why answers were lost; undefined when none were. */
  failure(): AppError | undefined {
    return this.#failure;
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
  stdout.write = ((...args: Parameters<typeof stdout.write>) => stderr().write(...args)) as typeof stdout.write;
  return {
    write: (chunk, encoding, onWritten) => write(chunk, encoding, onWritten),
    cork: () => stdout.cork(),
    uncork: () => stdout.uncork(),
    get writableLength() {
      return stdout.writableLength;
    },
    once: (event, listener) => stdout.once(event, listener),
    on: (event, listener) => stdout.on(event, listener),
    get destroyed() {
      return stdout.destroyed;
    },
  };
}

/** Node forgives a console whose reader has gone, but not what we send to stderr in its place. */
function stderr(): NodeJS.WriteStream {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  return process.stderr;
}

const TAKEN = Symbol.for('switchboard.stdout-is-taken');

/** A client that has stopped reading must not keep us alive for ever. */
const FLUSH_MS = 30_000;
const STOPPED_FLUSH_MS = 500;
const LOOK_EVERY_MS = 20;

/** False when the time was over first. Looks again and again: a stream tells nobody when its last small write is done. */
async function written(output: ByteSink, timeoutMs: () => number): Promise<boolean> {
  const start = performance.now();
  while (output.writableLength > 0 && !output.destroyed) {
    if (performance.now() - start > timeoutMs()) return false;
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
  return true;
}
