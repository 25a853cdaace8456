import { AppError } from '../../base/errors.ts';
import type { RequestId } from '../messages.ts';
import { type Exchange, NO_EXCHANGE } from './exchange.ts';

/** A pending request of the other side. */
export class IncomingRequest {
  readonly id: RequestId;
  /** The id as JSON text, exactly as received: 9007199254740993 and 1e400 keep their value. */
  readonly idText: string;
  readonly method: string;
  readonly params: unknown;
  /** Carries the response, and everything else that belongs to this request. */
  readonly exchange: Exchange;
  /** Set by the peer. From then on, nothing that belongs to this request may be sent. */
  isAnswered = false;
  #aborted: unknown;
  #controller: AbortController | undefined;

  constructor(id: RequestId, idText: string, method: string, params: unknown, exchange = NO_EXCHANGE) {
    this.id = id;
    this.idText = idText;
    this.method = method;
    this.params = params;
    this.exchange = exchange;
  }

  get isAborted(): boolean {
    return this.#aborted !== undefined;
  }

  /** Created on first use: most handlers never need it, and a controller per request is expensive. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  /** Aborts the request, which then gets no response. The first reason wins. */
  abort(reason: AppError): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.#controller?.abort(reason);
  }
}

export interface RunningRequests {
  readonly size: number;
  /** Returns false if too many requests are running. When the request is cancelled, its exchange ends without a response. */
  add(request: IncomingRequest): boolean;
  remove(request: IncomingRequest): void;
  /** Returns the newest running request with this id. */
  find(id: RequestId): IncomingRequest | undefined;
  cancel(params: unknown): void;
  /** Aborts the requests that came with this exchange. */
  abortOf(exchange: Exchange, reason: AppError): void;
  abortAll(reason: AppError): void;
  /** Resolves when no request is running; at once if none is. */
  whenIdle(): Promise<void>;
}

/** A side with more running requests than this floods us, and gets `BUSY` errors. */
export const MAX_RUNNING_REQUESTS = 10_000;

export function createRunningRequests(): RunningRequests {
  const running = new Set<IncomingRequest>();
  /** If a client reuses a pending id, it can only cancel the newer request. The older one still counts and ends. */
  const newest = new Map<unknown, IncomingRequest>();
  let idleWaiters: (() => void)[] = [];

  const resolveIfIdle = () => {
    if (running.size > 0 || idleWaiters.length === 0) return;
    const waiters = idleWaiters;
    idleWaiters = [];
    for (const wake of waiters) wake();
  };

  const abort = (request: IncomingRequest, reason: AppError) => {
    if (request.isAborted) return;
    request.abort(reason);
    if (request.isAnswered) return;
    request.isAnswered = true;
    request.exchange.respond(undefined);
  };

  return {
    get size() {
      return running.size;
    },
    add(request) {
      if (running.size >= MAX_RUNNING_REQUESTS) return false;
      running.add(request);
      if (request.idText !== 'null') newest.set(request.id, request);
      return true;
    },
    remove(request) {
      running.delete(request);
      if (newest.get(request.id) === request) newest.delete(request.id);
      resolveIfIdle();
    },
    find: (id) => newest.get(id),
    cancel(params) {
      const { requestId, reason } = readCancellation(params);
      const request = newest.get(requestId);
      if (request !== undefined)
        abort(request, new AppError('CANCELLED', `The client cancelled the request: ${reason}`));
    },
    abortOf(exchange, reason) {
      for (const request of running) if (request.exchange === exchange) abort(request, reason);
    },
    abortAll(reason) {
      for (const request of running) abort(request, reason);
    },
    whenIdle() {
      if (running.size === 0) return Promise.resolve();
      return new Promise((resolve) => idleWaiters.push(resolve));
    },
  };
}

function readCancellation(params: unknown): { requestId: unknown; reason: string } {
  const { requestId, reason } = (params ?? {}) as { requestId?: unknown; reason?: unknown };
  return { requestId, reason: typeof reason === 'string' ? reason : 'no reason given' };
}
