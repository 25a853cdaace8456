import { createDeadlines, type Deadlines } from '../../base/deadlines.ts';
import { AppError, toAppError } from '../../base/errors.ts';
import { isObject, type JsonObject, RawJson } from '../../wire/messages.ts';
import type { IncomingRequest } from '../../wire/rpc/incoming-requests.ts';
import { CLIENT_TIMEOUT_MS } from '../client-capabilities.ts';
import { createInputRequest, type InputRequest, type InputRequestOptions } from './input-request.ts';

/**
 * A handler that is suspended between two requests (2026-07-28). The server responds with `input_required`, and the
 * client sends a new request with the responses. The handler itself runs once, from start to end.
 */
export interface HeldCall {
  /** Returns the request that is pending now, or the last one. */
  request(): IncomingRequest;
  /** Sends one input request. Resolves with the client's raw response. */
  requestInput(method: string, params: unknown, options?: InputRequestOptions): Promise<unknown>;
}

export interface HeldCalls {
  /** Runs a handler that may suspend. The return value is the response to `request`. */
  begin(request: IncomingRequest, run: (call: HeldCall) => RawJson | Promise<RawJson>): RawJson | Promise<RawJson>;
  /** Resumes the call that `request` identifies by its `requestState`. */
  resume(request: IncomingRequest): Promise<RawJson>;
  close(reason: AppError): void;
  /** How many calls are suspended. */
  readonly count: number;
}

/** The maximum number of suspended handlers. */
const MAX_HELD_CALLS = 1000;

export function createHeldCalls(): HeldCalls {
  const held = new Map<string, Suspension>();
  let closed: AppError | undefined;
  const deadlines = createDeadlines<string>((state) => {
    const call = held.get(state);
    held.delete(state);
    call?.fail(new AppError('TIMED_OUT', 'The client did not return an answer in time.'));
  });
  const inputDeadlines = createDeadlines<() => void>((expire) => expire());

  const hold = (call: Suspension): string => {
    if (closed !== undefined) {
      // The client that could answer has disconnected.
      call.fail(closed);
      throw closed;
    }
    if (held.size >= MAX_HELD_CALLS)
      throw new AppError('BUSY', 'Too many calls are waiting for an answer from their client.');
    const state = crypto.randomUUID();
    held.set(state, call);
    deadlines.set(state, call.longestTimeoutMs() + CLIENT_TIMEOUT_MS);
    return state;
  };

  return {
    begin(request, run) {
      const call = createSuspension(request, hold, inputDeadlines);
      const outcome = run(call);
      return outcome instanceof Promise ? call.answerWith(outcome) : outcome;
    },
    async resume(request) {
      const { requestState, inputResponses } = request.params as { requestState?: unknown; inputResponses?: unknown };
      const call = typeof requestState === 'string' ? held.get(requestState) : undefined;
      if (call === undefined || !isSameCall(call.request(), request)) {
        throw new AppError(
          'INVALID_PARAMS',
          'requestState does not name a pending call: it was used, has expired, or belongs to another call.',
        );
      }
      if (!isObject(inputResponses) || !call.accepts(inputResponses))
        throw new AppError('INVALID_PARAMS', 'inputResponses must contain the answers by key, each an object.');
      held.delete(String(requestState));
      deadlines.clear(String(requestState));
      return call.resume(request, inputResponses);
    },
    close(reason) {
      closed = reason;
      for (const call of held.values()) call.fail(reason);
      held.clear();
      deadlines.close();
      inputDeadlines.close();
    },
    get count() {
      return held.size;
    },
  };
}

interface Suspension extends HeldCall {
  answerWith(outcome: Promise<RawJson>): Promise<RawJson>;
  /** Returns whether the answers to the pending input requests are objects. Other members do not matter. */
  accepts(answers: JsonObject): boolean;
  resume(request: IncomingRequest, answers: JsonObject): Promise<RawJson>;
  fail(reason: AppError): void;
  /** Returns the longest timeout of the pending input requests. The client may still fetch the outcome after it. */
  longestTimeoutMs(): number;
}

function createSuspension(
  first: IncomingRequest,
  hold: (call: Suspension) => string,
  deadlines: Deadlines<() => void>,
): Suspension {
  const inputRequests = new Map<string, InputRequest>();
  let request = first;
  let outcome: Promise<RawJson> | undefined;
  let requestCount = 0;
  let isListening = false;
  /** Answers that came with the first request. Undefined until an input request has a key. */
  let given: Map<string, unknown> | undefined;
  /** Answers the pending request with the input requests. Undefined while no request is pending. */
  let suspend: (() => void) | undefined;

  const openRequest = () =>
    new Promise<RawJson>((resolve, reject) => {
      suspend = () => {
        let state: string;
        try {
          state = hold(call);
        } catch (error) {
          // The handler gets the error, and its outcome answers the request, which stays pending.
          return rejectInputRequests(toAppError(error));
        }
        suspend = undefined;
        resolve(inputRequired(inputRequests, state));
      };
      outcome?.then(resolve, reject);
    });

  const rejectInputRequests = (reason: AppError) => {
    const open = [...inputRequests.values()];
    inputRequests.clear();
    for (const inputRequest of open) inputRequest.reject(reason);
  };

  /** Returns the answer that came with the first request, once, from a client that knows what the call will ask. */
  const takeGiven = (key: string): JsonObject | undefined => {
    given ??= new Map(Object.entries(answersIn(first.params)));
    const answer = given.get(key);
    given.delete(key);
    return isObject(answer) ? answer : undefined;
  };

  const fail = (reason: AppError) => {
    rejectInputRequests(reason);
    first.abort(reason);
  };

  const call: Suspension = {
    request: () => request,
    async requestInput(method, params, options = {}) {
      if (first.isAborted) throw first.signal.reason;
      if (options.signal?.aborted === true) throw new AppError('CANCELLED', `${method} was cancelled.`);
      const key = options.key ?? `q${++requestCount}`;
      if (inputRequests.has(key))
        throw new AppError('USAGE', `Two pending requests of one call have the key ${JSON.stringify(key)}.`);
      const early = options.key === undefined ? undefined : takeGiven(options.key);
      if (early !== undefined) return early;
      // A call that is cancelled before its input requests were sent must not wait for responses.
      if (!isListening) first.signal.addEventListener('abort', () => fail(first.signal.reason), { once: true });
      isListening = true;
      const inputRequest = createInputRequest({ method, params }, options, deadlines, () => inputRequests.delete(key));
      inputRequests.set(key, inputRequest);
      // Input requests from the same turn are sent together.
      if (inputRequests.size === 1) setImmediate(() => inputRequests.size > 0 && suspend?.());
      return inputRequest.response;
    },
    longestTimeoutMs: () => Math.max(0, ...[...inputRequests.values()].map(({ timeoutMs = 0 }) => timeoutMs)),
    answerWith(result) {
      outcome = result;
      return openRequest();
    },
    accepts: (answers) =>
      [...inputRequests.keys()].every((key) => !Object.hasOwn(answers, key) || isObject(answers[key])),
    resume(next, answers) {
      request = next;
      next.signal.addEventListener('abort', () => fail(next.signal.reason), { once: true });
      const answer = openRequest();
      for (const [key, inputRequest] of [...inputRequests]) {
        if (!Object.hasOwn(answers, key)) continue;
        inputRequests.delete(key);
        inputRequest.resolve(answers[key]);
      }
      if (inputRequests.size > 0) suspend?.();
      return answer;
    },
    fail,
  };
  return call;
}

function answersIn(params: unknown): JsonObject {
  return isObject(params) && isObject(params['inputResponses']) ? params['inputResponses'] : {};
}

function inputRequired(pending: ReadonlyMap<string, InputRequest>, requestState: string): RawJson {
  const inputRequests = Object.fromEntries([...pending].map(([key, { method, params }]) => [key, { method, params }]));
  return new RawJson(JSON.stringify({ resultType: 'input_required', inputRequests, requestState }));
}

/** Responses are valid only for the request that asked for them: the same tool or prompt and arguments, or resource. */
function isSameCall(original: IncomingRequest, retried: IncomingRequest): boolean {
  const call = ({ params }: IncomingRequest) =>
    isObject(params) ? JSON.stringify([params['name'], params['arguments'], params['uri']]) : undefined;
  return original.method === retried.method && call(original) === call(retried);
}
