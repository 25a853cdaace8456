import { AppError } from '../../base/errors.ts';
import type { RequestId } from '../messages.ts';

/** A pending request of the other side. */
export class IncomingRequest {
  readonly id: RequestId;
  /** The id as JSON text, exactly as received: 9007199254740993 and 1e400 keep their value. */
  readonly idText: string;
  readonly method: string;
  readonly params: unknown;
  /** Set by the peer. From then on, nothing that belongs to this request may be sent. */
  isAnswered = false;
  #aborted: unknown;
  #controller: AbortController | undefined;

  constructor(id: RequestId, idText: string, method: string, params: unknown) {
    this.id = id;
    this.idText = idText;
    this.method = method;
    this.params = params;
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
  /** Returns false if too many requests are running. `reply` is called with undefined when the request is cancelled. */
  add(request: IncomingRequest, reply: (nothing: undefined) => void): boolean;
  remove(request: IncomingRequest): void;
  cancel(params: unknown): void;
  abortAll(reason: AppError): void;
  /** Resolves when no request is running; at once if none is. */
  whenIdle(): Promise<void>;
}

/** A side with more running requests than this floods us, and gets `BUSY` errors. */
export const MAX_RUNNING_REQUESTS = 10_000;

export function createRunningRequests(): RunningRequests {
  const running = new Map<IncomingRequest, (nothing: undefined) => void>();
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
    running.get(request)?.(undefined);
  };

  return {
    add(request, reply) {
      if (running.size >= MAX_RUNNING_REQUESTS) return false;
      running.set(request, reply);
      if (request.idText !== 'null') newest.set(request.id, request);
      return true;
    },
    remove(request) {
      running.delete(request);
      if (newest.get(request.id) === request) newest.delete(request.id);
      resolveIfIdle();
    },
    cancel(params) {
      const { requestId, reason } = readCancellation(params);
      const request = newest.get(requestId);
      if (request !== undefined)
        abort(request, new AppError('CANCELLED', `The client cancelled the request: ${reason}`));
    },
    abortAll(reason) {
      for (const request of running.keys()) abort(request, reason);
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
