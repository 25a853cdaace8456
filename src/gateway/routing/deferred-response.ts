import type { AppError } from '../../base/errors.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Client } from '../client/client.ts';
import type { UnansweredRequest } from '../client/unanswered-request.ts';
import { type ErrorContext, failureResponse } from './error-response.ts';

export interface DeferredResponseOptions {
  readonly client: Client;
  readonly idText: string;
  readonly context: ErrorContext;
  readonly exchange: Exchange;
  /** Returns the response to send on `abandon`. Default: an error. */
  readonly fallback?: (() => string) | undefined;
}

/** A request that the gateway answers itself. It is answered once, or not at all after a cancellation. */
export class DeferredResponse implements UnansweredRequest {
  readonly idText: string;
  readonly exchange: Exchange;
  readonly upstream = undefined;
  slot = 0;
  sequence = 0;
  readonly #options: DeferredResponseOptions;
  #isDone = false;

  constructor(options: DeferredResponseOptions) {
    this.#options = options;
    this.idText = options.idText;
    this.exchange = options.exchange;
    options.client.addUnanswered(this);
  }

  get isDone(): boolean {
    return this.#isDone;
  }

  answer(text: string): void {
    this.#finish(text);
  }

  /** Hands the duty to respond over to the caller. Returns false if the request is already answered or cancelled. */
  release(): boolean {
    if (this.#isDone) return false;
    this.#isDone = true;
    this.#options.client.removeUnanswered(this);
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
    this.exchange.respond(text);
  }
}
