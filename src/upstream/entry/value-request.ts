import { setMaxListeners } from 'node:events';
import { callSafely } from '../../base/call-safely.ts';
import { createDeferred } from '../../base/deferred.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import type { Frame } from '../../wire/frame.ts';
import { isObject, type JsonRpcMessage, RawJson, requestText } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import { readResponse } from '../../wire/rpc/read-response.ts';
import type { SentCall, UpstreamCall } from '../connection/call.ts';

export interface RequestOptions {
  readonly timeoutMs?: number | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Requests progress; called in order, before the result. */
  readonly onProgress?: ((progress: Progress) => void) | undefined;
}

/** Progress of a call as reported by the server. Texts are unchanged. */
export interface Progress {
  readonly progress: number;
  readonly total?: number;
  readonly message?: string;
}

export interface RequestHooks {
  /** Returns true while the server waits for someone else, which pauses the deadline. */
  readonly isDeadlinePaused?: (() => boolean) | undefined;
  /** Parses the result in place of `JSON.parse`. */
  readonly parse?: ((json: string) => unknown) | undefined;
  /** Called once, when the server responds. */
  readonly onAnswered?: ((tookMs: number) => void) | undefined;
}

/** Request params, serialised or not. Serialised params are a non-empty object without `_meta`. */
export type RequestParams = Readonly<Record<string, unknown>> | RawJson;

/** A request whose result is returned as a parsed value. It completes exactly once. */
export class ValueRequest implements UpstreamCall {
  readonly method: string;
  readonly timeoutMs: number | undefined;
  readonly isIdempotent = false;
  readonly bytes = 0;
  sent: SentCall | undefined;
  readonly #deferred = createDeferred<unknown>();
  readonly completed = this.#deferred.promise;
  readonly #params: RequestParams;
  readonly #onProgress: RequestOptions['onProgress'];
  readonly #hooks: RequestHooks;

  constructor(method: string, params: RequestParams, options: RequestOptions, hooks: RequestHooks = {}) {
    this.method = method;
    this.timeoutMs = options.timeoutMs;
    this.#params = params;
    this.#onProgress = options.onProgress;
    this.#hooks = hooks;
  }

  write(id: number): string {
    if (this.#onProgress === undefined) return requestText(id, this.method, this.#params);
    return requestText(id, this.method, withToken(this.#params, id));
  }

  /** Cancels the request when the signal aborts. `cancel` notifies the server. */
  cancelOnAbort(signal: AbortSignal | undefined, cancel: (reason: string) => void) {
    if (signal === undefined) return;
    const onAbort = () => {
      cancel('given up');
      this.fail(new AppError('CANCELLED', `${this.method} was cancelled.`));
    };
    if (signal.aborted) return onAbort();
    // One signal may cancel many calls of a run.
    setMaxListeners(0, signal);
    signal.addEventListener('abort', onAbort, { once: true });
    const removeListener = () => signal.removeEventListener('abort', onAbort);
    this.completed.then(removeListener, removeListener);
  }

  isDeadlinePaused(): boolean {
    return this.#hooks.isDeadlinePaused?.() ?? false;
  }

  result({ frame }: ResultFrame): void {
    this.#answered();
    try {
      const parsed = parseFrame(frame, this.#hooks.parse);
      this.#deferred.resolve(isObject(parsed) ? parsed['result'] : undefined);
    } catch (error) {
      // Valid JSON, but with more values than the parser accepts.
      this.#deferred.reject(
        new AppError('BAD_ANSWER', `${this.method}: its response cannot be parsed: ${messageOf(error)}`),
      );
    }
  }

  response(message: JsonRpcMessage, _frame: Frame): void {
    this.#answered();
    const outcome = readResponse(message, this.method);
    if ('error' in outcome) this.#deferred.reject(outcome.error);
    else this.#deferred.resolve(outcome.result);
  }

  progress(params: Readonly<Record<string, unknown>>): void {
    const progress = readProgress(params);
    if (progress !== undefined) callSafely(() => this.#onProgress?.(progress));
  }

  fail(error: AppError): void {
    this.#deferred.reject(error);
  }

  #answered(): void {
    if (this.sent !== undefined) this.#hooks.onAnswered?.(performance.now() - this.sent.acceptedAt);
  }
}

function withToken(params: RequestParams, progressToken: number): RequestParams {
  if (params instanceof RawJson)
    return new RawJson(`{"_meta":{"progressToken":${progressToken}},${params.json.slice(1)}`);
  const meta = isObject(params['_meta']) ? params['_meta'] : {};
  return { ...params, _meta: { ...meta, progressToken } };
}

/** Returns undefined for params without a numeric `progress`. */
function readProgress({ progress, total, message }: Readonly<Record<string, unknown>>): Progress | undefined {
  if (typeof progress !== 'number') return undefined;
  return {
    progress,
    ...(typeof total === 'number' ? { total } : {}),
    ...(typeof message === 'string' ? { message } : {}),
  };
}
