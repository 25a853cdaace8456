import { AppError } from '../../base/errors.ts';
import type { RequestId } from '../messages.ts';

/** A request that the other side made and that is not answered yet. */
export class IncomingRequest {
  readonly id: RequestId;
  /** The id as JSON text, exactly as it came: 9007199254740993 and 1e400 survive. */
  readonly idText: string;
  readonly method: string;
  readonly params: unknown;
  /** Set by the peer: nothing that belongs to this request may be sent any more. */
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

  /** Made when somebody asks for it: most handlers never do, and a controller per call is dear. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController();
      if (this.#aborted !== undefined) this.#controller.abort(this.#aborted);
    }
    return this.#controller.signal;
  }

  /** The first reason wins. An aborted request is not answered. */
  abort(reason: AppError): void {
    if (this.#aborted !== undefined) return;
    this.#aborted = reason;
    this.#controller?.abort(reason);
  }
}

export interface RunningRequests {
  /** False when too many are under way already. `reply` is called with nothing when the request is cancelled. */
  add(request: IncomingRequest, reply: (nothing: undefined) => void): boolean;
  remove(request: IncomingRequest): void;
  cancel(params: unknown): void;
  abortAll(reason: AppError): void;
  /** Resolves when nothing runs any more; at once if nothing does. */
  whenIdle(): Promise<void>;
}

/** Over this many at once the other side floods us, and is told that we are busy. */
export const MAX_RUNNING_REQUESTS = 10_000;

export function createRunningRequests(): RunningRequests {
  const running = new Map<IncomingRequest, (nothing: undefined) => void>();
  /** A client that reuses an id in flight owns the newer request; the older one still counts and still ends. */
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
