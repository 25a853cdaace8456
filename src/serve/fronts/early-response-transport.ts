import type { AppError } from '../../base/errors.ts';
import { frameText } from '../../wire/frame.ts';
import { isObject } from '../../wire/messages.ts';
import { initializeResult, type ServerDescription } from '../initialize-result.ts';
import { EarlyResponder } from './early-responder.ts';
import { StdioFront } from './stdio-front.ts';
import type { Transport, TransportReceiver } from './transport.ts';

/**
 * Serves stdio and answers `initialize` before the server is loaded, because clients wait for most starts. The server
 * receives `initialize` too, because it needs the params. Its own response to it is dropped.
 */
export class EarlyResponseTransport implements Transport {
  readonly #front = new StdioFront();
  readonly #responder: EarlyResponder;
  #receiver: TransportReceiver | undefined;
  /** The start of the server's own `initialize` response, until that response was dropped. */
  #duplicatePrefix: string | undefined;
  #isStopped = false;

  constructor(description: ServerDescription) {
    this.#responder = new EarlyResponder({
      front: this.#front,
      initialize(params) {
        // Modern requests carry an envelope in `_meta` and have no handshake.
        if (!isObject(params) || params['_meta'] !== undefined) return undefined;
        return { result: initializeResult(description, params) };
      },
    });
  }

  /** Resolves when the client has sent a message or disconnected, or when the transport was stopped. */
  get loadRequested(): Promise<void> {
    return this.#responder.loadRequested;
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    this.#responder.handOver({
      receive: (frame) => receiver.message(frameText(frame)),
      receiveAlreadyAnswered: (frame, idText) => {
        this.#duplicatePrefix = `{"jsonrpc":"2.0","id":${idText},"result":`;
        receiver.message(frameText(frame));
      },
      reportError: (error) => receiver.fault(error),
      end: () => receiver.end(),
    });
    if (this.#isStopped) receiver.stop();
  }

  send(message: string): void {
    if (this.#duplicatePrefix !== undefined && message.startsWith(this.#duplicatePrefix)) {
      this.#duplicatePrefix = undefined;
      return;
    }
    this.#front.send(message);
  }

  /** Stops serving immediately, because the process has been asked to exit. */
  stop(): void {
    this.#isStopped = true;
    this.#front.stop();
    this.#receiver?.stop();
    this.#responder.load();
  }

  close(): Promise<void> {
    return this.#front.close();
  }

  /** Returns why responses were lost, or undefined if none were. */
  failure(): AppError | undefined {
    return this.#front.failure();
  }
}
