import type { Deadlines } from '../../base/deadlines.ts';
import { createDeferred } from '../../base/deferred.ts';
import { AppError } from '../../base/errors.ts';

/** Limits for one input request. */
export interface InputRequestOptions {
  /** How long the user may take. */
  readonly timeoutMs?: number;
  /** Cancels the input request. */
  readonly signal?: AbortSignal;
  /**
   * A name for the request, unique among the pending ones of its call. Only the modern era sends it. A client that knows the name may send the
   * answer with its first request.
   */
  readonly key?: string;
}

/**
 * An input request of a held call. It settles once: with its response, when the call ends, or when it times out or is
 * cancelled.
 */
export interface InputRequest {
  readonly method: string;
  readonly params: unknown;
  /** Undefined for no timeout of its own. The request then ends with the held call. */
  readonly timeoutMs: number | undefined;
  readonly response: Promise<unknown>;
  resolve(answer: unknown): void;
  reject(error: AppError): void;
}

/** Creates an input request. Calls `remove` on a timeout or cancellation, after which a late response is ignored. */
export function createInputRequest(
  request: { readonly method: string; readonly params: unknown },
  { timeoutMs, signal }: InputRequestOptions,
  deadlines: Deadlines<() => void>,
  remove: () => void,
): InputRequest {
  const { promise: response, resolve, reject } = createDeferred<unknown>();
  const end = () => {
    deadlines.clear(expire);
    signal?.removeEventListener('abort', cancel);
  };
  const inputRequest: InputRequest = {
    ...request,
    timeoutMs,
    response,
    resolve(answer) {
      end();
      resolve(answer);
    },
    reject(error) {
      end();
      reject(error);
    },
  };
  const withdraw = (error: AppError) => {
    remove();
    inputRequest.reject(error);
  };
  const expire = () => withdraw(new AppError('TIMED_OUT', `${request.method} was not answered in time.`));
  const cancel = () => withdraw(new AppError('CANCELLED', `${request.method} was cancelled.`));
  if (timeoutMs !== undefined) deadlines.set(expire, timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  return inputRequest;
}
