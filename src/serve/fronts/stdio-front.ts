import type { Readable } from 'node:stream';
import { AppError } from '../../base/errors.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import type { ByteSink } from '../../wire/stream/outbox.ts';
import {
  type ChannelReceiver,
  openStreamChannel,
  type StreamChannel,
  type StreamChannelOptions,
} from '../../wire/stream/stream-channel.ts';

export interface StdioFrontOptions extends Pick<StreamChannelOptions, 'maxMessageBytes'> {
  /** Default: this process's stdin. */
  readonly input?: Readable;
  /** Default: this process's stdout. All other writes to stdout are then redirected to stderr. */
  readonly output?: StreamChannelOptions['output'];
}

/** Receives the messages of the client, and is told when the client does not read fast enough. */
export interface FrontReceiver extends ChannelReceiver, Pick<StreamChannelOptions, 'onFull' | 'onDrained'> {}

/**
 * A client on stdin and stdout, as bytes: one message per line, or with `Content-Length` headers if the client uses
 * them.
 */
export class StdioFront {
  readonly #options: StdioFrontOptions;
  readonly #output: StreamChannelOptions['output'];
  #channel: StreamChannel | undefined;
  #isStopped = false;
  #failure: AppError | undefined;

  constructor(options: StdioFrontOptions = {}) {
    this.#options = options;
    this.#output = options.output ?? claimStdout();
  }

  start({ frame, reportError, end, ...backpressure }: FrontReceiver): void {
    const { input = process.stdin, output: _, ...options } = this.#options;
    this.#channel = openStreamChannel(
      { ...options, ...backpressure, input, output: this.#output },
      {
        frame,
        reportError,
        end: (ending) => {
          this.#failure = ending.failure;
          end(ending);
        },
      },
    );
  }

  send(message: OutgoingMessage): void {
    this.#channel?.send(message);
  }

  /** Shortens the wait for the client in `close`, because the process has been asked to exit. */
  stop(): void {
    this.#isStopped = true;
  }

  async close(): Promise<void> {
    this.#channel?.stop();
    this.#channel?.flush();
    const isWritten = await waitForDrain(this.#output, () => (this.#isStopped ? STOPPED_FLUSH_MS : FLUSH_MS));
    if (!isWritten && !this.#isStopped)
      this.#failure ??= new AppError('BUSY', 'The client did not read all responses.');
  }

  /** Returns why responses were lost, or undefined if none were. */
  failure(): AppError | undefined {
    return this.#failure;
  }
}

/**
 * Reserves stdout for the protocol: a stray `console.log` or `process.stdout.write` of other code goes to stderr, where
 * it does no harm.
 */
function claimStdout(): StreamChannelOptions['output'] {
  const { stdout } = process;
  if (Object.hasOwn(stdout, CLAIMED))
    throw new AppError('USAGE', 'stdout is already in use: serve one server on stdio, once.');
  Object.defineProperty(stdout, CLAIMED, { value: true });
  const write = stdout.write.bind(stdout);
  // stderr is accessed lazily, because opening it costs startup time.
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

/** Node.js ignores console writes to a closed pipe, but not our redirected writes to stderr. */
function stderr(): NodeJS.WriteStream {
  if (process.stderr.listenerCount('error') === 0) process.stderr.on('error', () => {});
  return process.stderr;
}

const CLAIMED = Symbol.for('switchboard.stdout-is-taken');

/** A client that has stopped reading must not keep the process alive forever. */
const FLUSH_MS = 30_000;
const STOPPED_FLUSH_MS = 500;
const POLL_MS = 20;

/**
 * Waits until the output is written. Resolves with false on a timeout. Polls, because a stream emits no event when its
 * last small write is done.
 */
async function waitForDrain(output: ByteSink, timeoutMs: () => number): Promise<boolean> {
  const start = performance.now();
  while (output.writableLength > 0 && !output.destroyed) {
    if (performance.now() - start > timeoutMs()) return false;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return true;
}
