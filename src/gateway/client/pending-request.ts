import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type ErrorContext, failureResponse } from '../routing/error-response.ts';
import type { Reply } from '../routing/forwarded-request.ts';
import type { Client } from './client.ts';

/** A request of a client that is not answered yet. */
export interface PendingRequest {
  readonly idText: string;
  /** The server that works on it; undefined while none does. */
  readonly upstream: Upstream | undefined;
  /** Where it is kept among the open requests of its client, and when it came; kept by those. */
  slot: number;
  sequence: number;
  /** The client no longer wants an answer. */
  cancel(reason: string): void;
  /** Nobody will wait for the answer any more: the client is told. */
  abandon(reason: AppError): void;
}

export interface DeferredResponseOptions {
  readonly client: Client;
  readonly idText: string;
  readonly context: ErrorContext;
  readonly reply: Reply;
  /** What can be said when nobody will wait any longer; without it, only that. */
  readonly fallback?: (() => string) | undefined;
}

/** A request whose answer we work on ourselves. It is answered once; after a cancellation not at all. */
export class DeferredResponse implements PendingRequest {
  readonly idText: string;
  readonly upstream = undefined;
  slot = 0;
  sequence = 0;
  readonly #options: DeferredResponseOptions;
  #isDone = false;

  constructor(options: DeferredResponseOptions) {
    this.#options = options;
    this.idText = options.idText;
    options.client.addPending(this);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  answer(text: string): void {
    this.#finish(text);
  }

  /** Somebody else answers from here on. False: nobody wants it any more. */
  release(): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#options.client.removePending(this);
    return true;
  }

  fail(error: AppError): void {
    const { idText, context, client } = this.#options;
    this.#finish(failureResponse(idText, error, context, client.errorStyle));
  }

  cancel(): void {
    this.#finish(undefined);
  }

  abandon(reason: AppError): void {
    const { fallback } = this.#options;
    if (fallback === undefined) this.fail(reason);
    else this.answer(fallback());
  }

  #finish(text: string | undefined): void {
    if (!this.release()) return;
    this.#options.reply(text);
  }
}

/** Says that it took too long. */
export function notReadyInTime(serverId: string): AppError {
  return new AppError('TIMED_OUT', `${serverId} was not ready in time. Try again in a moment.`);
}
