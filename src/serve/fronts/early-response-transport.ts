import { isObject, resultText } from '../../wire/messages.ts';
import { initializeResult, type ServerDescription } from '../initialize-result.ts';
import type { Transport, TransportReceiver } from './transport.ts';

/**
 * Greets a client before the server that it will talk to is loaded: most starts are waited for. What comes before
 * `start` is kept, the hello included, because the server must know its client; its own answer to it goes nowhere.
 */
export class EarlyResponseTransport implements Transport {
  readonly #inner: Transport;
  readonly #description: ServerDescription;
  readonly #queued: ((receiver: TransportReceiver) => void)[] = [];
  #receiver: TransportReceiver | undefined;
  /** How the server's own answer to the hello begins, until it has come. */
  #duplicatePrefix: string | undefined;
  #isFirst = true;

  constructor(inner: Transport, description: ServerDescription) {
    this.#inner = inner;
    this.#description = description;
  }

  /** Begins to read. Resolves when the client has said something, or has left. */
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

/** Undefined for anything but a plain hello: the server itself will say what is wrong with it. */
function parseInitialize(text: string): { readonly idText: string; readonly params: unknown } | undefined {
  let message: unknown;
  try {
    message = JSON.parse(text);
  } catch {
    // The server answers what is no message.
    return undefined;
  }
  if (!isObject(message) || message['method'] !== 'initialize' || !isObject(message['params'])) return undefined;
  const { id, params } = message;
  const isPlain = typeof id === 'string' || (typeof id === 'number' && Number.isSafeInteger(id) && !Object.is(id, -0));
  // The newer era says hello in every request.
  if (!isPlain || params['_meta'] !== undefined) return undefined;
  return { idText: JSON.stringify(id), params };
}
