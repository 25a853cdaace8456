import { setMaxListeners } from 'node:events';
import { callSafely } from '../../base/call-safely.ts';
import { createDeferred } from '../../base/deferred.ts';
import { AppError, messageOf } from '../../base/errors.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { isObject, type JsonRpcMessage, RawJson, requestText, resultText } from '../../wire/messages.ts';
import { parseFrame } from '../../wire/parse-frame.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import { readResponse } from '../../wire/rpc/read-response.ts';
import type { SentCall, UpstreamCall } from './call.ts';

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
  /** Whether the request may run twice, because its tool is read-only or idempotent. Default: false. */
  readonly isIdempotent?: boolean | undefined;
  /** Returns true while the server waits for someone else, which pauses the deadline. */
  readonly isDeadlinePaused?: (() => boolean) | undefined;
  /** Parses the result in place of `JSON.parse`. */
  readonly parse?: ((json: string) => unknown) | undefined;
  /** Called once, when the server responds. */
  readonly onAnswered?: ((tookMs: number) => void) | undefined;
}

/** Request params, serialized or not. Serialized params are a non-empty object without `_meta`. */
export type RequestParams = Readonly<Record<string, unknown>> | RawJson;

export interface OwnRequestOptions extends Omit<RequestOptions, 'signal'>, RequestHooks {
  /** Accepts a result of any nesting depth: its parts are parsed separately, so a too deep one affects only itself. */
  readonly acceptsAnyDepth?: boolean;
}

/** The response to a request of our own, as received. */
export interface OwnResponse {
  readonly frame: Frame;
}

/** A request that no client sent: the handshake, a list, the call of a host or a command. It completes exactly once. */
export class OwnRequest implements UpstreamCall {
  readonly method: string;
  readonly timeoutMs: number | undefined;
  readonly isIdempotent: boolean;
  readonly acceptsAnyDepth: boolean;
  readonly bytes = 0;
  sent: SentCall | undefined;
  readonly #deferred = createDeferred<OwnResponse>();
  readonly completed = this.#deferred.promise;
  readonly #params: unknown;
  readonly #options: OwnRequestOptions;

  constructor(method: string, params: unknown, options: OwnRequestOptions = {}) {
    this.method = method;
    this.timeoutMs = options.timeoutMs;
    this.isIdempotent = options.isIdempotent ?? false;
    this.acceptsAnyDepth = options.acceptsAnyDepth ?? false;
    this.#params = params;
    this.#options = options;
    // The caller may have gone; this prevents an unhandled rejection.
    this.completed.catch(() => {});
  }

  /** Resolves with the parsed result. */
  async value(): Promise<unknown> {
    const { frame } = await this.completed;
    try {
      const parsed = parseFrame(frame, this.#options.parse);
      return isObject(parsed) ? parsed['result'] : undefined;
    } catch (error) {
      // Valid JSON, but with more values than the parser accepts.
      throw new AppError('BAD_ANSWER', `${this.method}: its response cannot be parsed: ${messageOf(error)}`);
    }
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

  write(id: number): string {
    const params = this.#options.onProgress === undefined ? this.#params : withToken(this.#params, id);
    return requestText(id, this.method, params);
  }

  isDeadlinePaused(): boolean {
    return this.#options.isDeadlinePaused?.() ?? false;
  }

  result({ frame }: ResultFrame): void {
    this.#answered();
    this.#deferred.resolve({ frame });
  }

  response(message: JsonRpcMessage, frame: Frame) {
    this.#answered();
    const outcome = readResponse(message, this.method);
    if ('error' in outcome) return this.#deferred.reject(outcome.error);
    // A valid response in an unusual form (its id is a string). Rebuild it, so all readers see the same form.
    const result = new RawJson(rawMember(frameBytes(frame), 'result') ?? 'null');
    this.#deferred.resolve({ frame: [Buffer.from(resultText('0', result))] });
  }

  progress(params: Readonly<Record<string, unknown>>): void {
    const progress = readProgress(params);
    if (progress !== undefined) callSafely(() => this.#options.onProgress?.(progress));
  }

  fail(error: AppError): void {
    this.#deferred.reject(error);
  }

  #answered(): void {
    if (this.sent !== undefined) this.#options.onAnswered?.(performance.now() - this.sent.acceptedAt);
  }
}

function withToken(params: unknown, progressToken: number): RequestParams {
  if (params instanceof RawJson)
    return new RawJson(`{"_meta":{"progressToken":${progressToken}},${params.json.slice(1)}`);
  const members = isObject(params) ? params : {};
  const meta = isObject(members['_meta']) ? members['_meta'] : {};
  return { ...members, _meta: { ...meta, progressToken } };
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
