import { createDeferred } from '../../base/deferred.ts';
import { AppError, messageOf, toAppError } from '../../base/errors.ts';
import type { Frame } from '../frame.ts';
import { isObject, type JsonRpcMessage, notificationText, requestText } from '../messages.ts';
import type { Exchange } from './exchange.ts';
import { createPendingRequests, type PendingRequest } from './pending-requests.ts';
import { readResponse } from './read-response.ts';

export interface RequestOptions {
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal;
  /** Requests progress from the other side. Called for each notification, in order, before the result. */
  readonly onProgress?: (progress: Readonly<Record<string, unknown>>) => void;
  /** The exchange of the request that this one belongs to. Default: the output of the connection. */
  readonly exchange?: Exchange;
}

export interface OutgoingRequests {
  request(method: string, params: Readonly<Record<string, unknown>>, options?: RequestOptions): Promise<unknown>;
  notify(method: string, params?: unknown, exchange?: Exchange): void;
  receiveResponse(message: JsonRpcMessage): void;
  isPending(id: unknown): boolean;
  progress(params: unknown): void;
  close(reason: AppError): void;
}

const DEFAULT_TIMEOUT_MS = 60_000;

/** Tracks our requests. Each one settles exactly once: by its response, its deadline, its signal or `close`. */
export function createOutgoingRequests(output: Exchange): OutgoingRequests {
  const pending = createPendingRequests<OwnRequest>((id, entry) => abandon(id, entry, timedOut(entry.method)));
  let closed: AppError | undefined;

  const cancel = (id: number, error: AppError) => {
    const entry = pending.take(id);
    if (entry !== undefined) abandon(id, entry, error);
  };

  const abandon = (id: number, entry: OwnRequest, error: AppError) => {
    // A client must not cancel `initialize`:
    // https://modelcontextprotocol.io/specification/2025-11-25/basic/utilities/cancellation
    if (entry.method !== 'initialize')
      notify('notifications/cancelled', { requestId: id, reason: error.message }, entry.exchange);
    entry.fail(error);
  };

  const notify = (method: string, params?: unknown, exchange = output) => {
    exchange.send(notificationText(method, params));
    pending.notificationSent();
  };

  return {
    request(method, params, options = {}) {
      if (closed !== undefined) return Promise.reject(closed);
      if (options.signal?.aborted === true) return Promise.reject(cancelled(method));
      const id = pending.nextId();
      const withToken = options.onProgress === undefined ? params : withProgressToken(params, id);
      let text: string;
      try {
        text = requestText(id, method, withToken);
      } catch (cause) {
        return Promise.reject(
          new AppError('INVALID_PARAMS', `${method}: params cannot be written as JSON: ${messageOf(cause)}`, { cause }),
        );
      }
      const { promise, resolve, reject } = createDeferred<unknown>();
      const { exchange = output } = options;
      const entry: OwnRequest = {
        method,
        exchange,
        response(message) {
          const outcome = readResponse(message, method);
          if ('error' in outcome) reject(outcome.error);
          else resolve(outcome.result);
        },
        fail: reject,
        progress(progress) {
          try {
            options.onProgress?.(progress);
          } catch (error) {
            // The caller's own listener threw, so only this request fails.
            cancel(id, toAppError(error));
          }
        },
      };
      pending.add(id, entry, options.timeoutMs ?? DEFAULT_TIMEOUT_MS);
      const unlink = onAbort(options.signal, () => cancel(id, cancelled(method)));
      exchange.send(text);
      return unlink === undefined ? promise : promise.finally(unlink);
    },
    notify,
    isPending: (id) => pending.find(id) !== undefined,
    receiveResponse: (message) => pending.settle(message, NO_FRAME),
    progress: (params) => pending.progress(params, NO_FRAME),
    close(reason) {
      closed ??= reason;
      pending.failAll(() => reason);
    },
  };
}

interface OwnRequest extends PendingRequest {
  readonly exchange: Exchange;
}

/** These requests read the parsed message and never its bytes. */
const NO_FRAME: Frame = [];

function timedOut(method: string): AppError {
  return new AppError('TIMED_OUT', `${method} was not answered in time.`);
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
