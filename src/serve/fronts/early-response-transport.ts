import { isObject, resultText } from '../../wire/messages.ts';
import { initializeResult, type ServerDescription } from '../initialize-result.ts';
import type { Transport, TransportReceiver } from './transport.ts';

/**
 * Answers `initialize` before the server is loaded, because clients wait for most starts. Messages before `start` are
 * queued, including `initialize`, because the server needs its params. The server's own response to it is dropped.
 */
export class EarlyResponseTransport implements Transport {
  readonly #inner: Transport;
  readonly #description: ServerDescription;
  readonly #queued: ((receiver: TransportReceiver) => void)[] = [];
  #receiver: TransportReceiver | undefined;
  /** The start of the server's own `initialize` response, until that response was dropped. */
  #duplicatePrefix: string | undefined;
  #isFirst = true;

  constructor(inner: Transport, description: ServerDescription) {
    this.#inner = inner;
    this.#description = description;
  }

  /** Starts reading. Resolves when the client has sent a message or disconnected. */
  listen(): Promise<void> {
    return new Promise((resolve) => {
      this.#inner.start({
        message: (text) => {
          this.#answerInitialize(text);
          this.#deliver((receiver) => receiver.message(text));
          resolve();
        },
        fault: (error) => this.#deliver((receiver) => receiver.fault(error)),
        end: () => {
          this.#deliver((receiver) => receiver.end());
          resolve();
        },
        stop: () => {
          this.#deliver((receiver) => receiver.stop());
          resolve();
        },
      });
    });
  }

  start(receiver: TransportReceiver): void {
    this.#receiver = receiver;
    for (const deliver of this.#queued.splice(0)) deliver(receiver);
  }

  send(message: string): void {
    if (this.#duplicatePrefix !== undefined && message.startsWith(this.#duplicatePrefix)) {
      this.#duplicatePrefix = undefined;
      return;
    }
    this.#inner.send(message);
  }

  close(): void | Promise<void> {
    return this.#inner.close();
  }

  #deliver(deliver: (receiver: TransportReceiver) => void): void {
    if (this.#receiver === undefined) this.#queued.push(deliver);
    else deliver(this.#receiver);
  }

  #answerInitialize(text: string): void {
    const isFirst = this.#isFirst;
    this.#isFirst = false;
    if (!isFirst || this.#receiver !== undefined) return;
    const initialize = parseInitialize(text);
    if (initialize === undefined) return;
    this.#duplicatePrefix = `{"jsonrpc":"2.0","id":${initialize.idText},"result":`;
    this.#inner.send(resultText(initialize.idText, initializeResult(this.#description, initialize.params)));
  }
}

/** Returns undefined for anything but a plain `initialize` request. The server itself reports what is wrong with it. */
function parseInitialize(text: string): { readonly idText: string; readonly params: unknown } | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    // The server responds to invalid messages.
    return undefined;
  }
  if (!isObject(message) || message['method'] !== 'initialize' || !isObject(message['params'])) return undefined;
  const { id, params } = message;
  const isPlain = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id) && !Object.is(id, -0));
  // Modern requests carry an envelope in `_meta` and have no handshake.
  if (!isPlain || params['_meta'] !== undefined) return undefined;
  return { idText: JSON.stringify(id), params };
}
