import { createDeadlines } from '../base/deadlines.ts';
import { AppError, messageOf, toAppError } from '../base/errors.ts';
import { readAnswer } from './answer.ts';
import { type Incoming, isObject, notificationText, requestText } from './messages.ts';
import { createNotified } from './notified.ts';

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Asks the other side for progress; called for each notification, in order, before the result. */
  readonly onProgress?: (progress: Readonly<Record<string, unknown>>) => void;
}

export interface OutgoingRequests {
  request(method: string, params: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown): void;
  answer(message: Incoming): void;
  isWaitingFor(id: unknown): boolean;
  progress(params: unknown): void;
  close(reason: AppError): void;
}

interface Pending {
  readonly method: string;
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: AppError) => void;
  readonly onProgress: RequestOptions['onProgress'];
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** The requests that we made: each is settled exactly once, by its answer, its deadline, its signal or the close. */
export function createOutgoingRequests(send: (text: string) => void): OutgoingRequests {
  const pending = new Map<number, Pending>();
  const deadlines = createDeadlines<number>((id) => giveUp(id, timedOut(pending.get(id))));
  let lastId = 0;
  let closed: AppError | undefined;
  const notified = createNotified();

  const take = (id: number): Pending | undefined => {
    const entry = pending.get(id);
    pending.delete(id);
    deadlines.clear(id);
    return entry;
  };

  const giveUp = (id: number, error: AppError) => {
    const entry = take(id);
    if (entry === undefined) return;
    // The one request that must not be cancelled: https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
    if (entry.method !== 'initialize') notify('notifications/cancelled', { requestId: id, reason: error.message });
    entry.reject(error);
  };

  const notify = (method: string, params?: unknown) => {
    send(notificationText(method, params));
    notified.add(lastId);
  };

  const failAll = (reason: (entry: Pending) => AppError) => {
    for (const id of [...pending.keys()]) {
      const entry = take(id);
      entry?.reject(reason(entry));
    }
  };

  /** Nobody can tell whose answer this was, so everyone who waits is told. */
  const answerWithoutId = (message: Incoming) => {
    if (notified.isAnsweredBy(message)) return;
    failAll((entry) => new AppError('BAD_ANSWER', `${entry.method}: the server sent an answer without an id.`));
  };

  return {
    request(method, params, options = {}) {
      if (closed !== undefined) return Promise.reject(closed);
      if (options.signal?.aborted === true) return Promise.reject(cancelled(method));
      const id = ++lastId;
      const withToken = options.onProgress === undefined ? params : withProgressToken(params, id);
      let text: string;
      try {
        text = requestText(id, method, withToken);
      } catch (cause) {
        return Promise.reject(
          new AppError('INVALID_PARAMS', `${method}: params are no JSON: ${messageOf(cause)}`, { cause }),
        );
      }
      const { promise, resolve, reject } = withResolvers();
      pending.set(id, { method, resolve, reject, onProgress: options.onProgress });
      deadlines.set(id, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const unlink = onAbort(options.signal, () => giveUp(id, cancelled(method)));
      send(text);
      return unlink === undefined ? promise : promise.finally(unlink);
    },
    notify,
    isWaitingFor: (id) => pending.has(toOwnId(id)),
    answer(message) {
      if (typeof message.id !== 'number' && typeof message.id !== 'string') return answerWithoutId(message);
      const id = toOwnId(message.id);
      // An id nobody waits for is late or made up: dropped.
      const entry = take(id);
      if (entry === undefined) return;
      notified.requestAnswered(id);
      const outcome = readAnswer(message, entry.method);
      if ('error' in outcome) entry.reject(outcome.error);
      else entry.resolve(outcome.result);
    },
    progress(params) {
      if (!isObject(params)) return;
      const id = toOwnId(params['progressToken']);
      try {
        pending.get(id)?.onProgress?.(params);
      } catch (error) {
        // The caller's own listener failed: its call fails, and nobody else's.
        giveUp(id, toAppError(error));
      }
    },
    close(reason) {
      closed ??= reason;
      failAll(() => reason);
      deadlines.close();
    },
  };
}

/** Our ids are numbers, and some servers turn them into strings. Anything else is nobody's id. */
function toOwnId(id: unknown): number {
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id);
  return typeof id === 'number' ? id : Number.NaN;
}

function timedOut(entry: Pending | undefined): AppError {
  return new AppError('TIMED_OUT', `${entry?.method ?? 'A request'} was not answered in time.`);
}

function cancelled(method: string): AppError {
  return new AppError('CANCELLED', `${method} was cancelled.`);
}

function withProgressToken(params: Readonly<Record<string, unknown>>, token: number): unknown {
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return { ...params, _meta: { ...meta, progressToken: token } };
}

function onAbort(signal: AbortSignal | undefined, listener: () => void): (() => void) | undefined {
  if (signal === undefined) return undefined;
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}

function withResolvers() {
  let resolve: (result: unknown) => void = () => {};
  let reject: (error: AppError) => void = () => {};
  const promise = new Promise<unknown>((onResult, onError) => {
    resolve = onResult;
    reject = onError;
  });
  return { promise, resolve, reject };
}
