import { createDeadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import type { Frame } from '../frame.ts';
import { isObject, type JsonRpcMessage } from '../messages.ts';
import { createIdMap } from './id-map.ts';

/** A request of ours without a response yet. It settles exactly once, by `response` or by `fail`. */
export interface PendingRequest {
  readonly method: string;
  /** `frame` is the message as received. */
  response(message: JsonRpcMessage, frame: Frame): void;
  fail(error: AppError): void;
  progress(params: Readonly<Record<string, unknown>>, frame: Frame): void;
}

/** All pending requests to one side, by the ids that we gave them. */
export interface PendingRequests<Request extends PendingRequest> {
  readonly size: number;
  /** Returns an id that was never used before. */
  nextId(): number;
  add(id: number, request: Request, timeoutMs: number): void;
  /** Restarts the timeout of a request from now. */
  extendDeadline(id: number, timeoutMs: number): void;
  find(id: unknown): Request | undefined;
  take(id: unknown): Request | undefined;
  /** Like `take`, for a request whose response has arrived. */
  takeAnswered(id: unknown): Request | undefined;
  all(): Request[];
  /** Delivers a response to its request. A response with an unknown id is late or made up, and is dropped. */
  settle(message: JsonRpcMessage, frame: Frame): void;
  progress(params: unknown, frame: Frame): void;
  /** Records a sent notification: some servers respond to one, without an id, and that response must be ignored. */
  notificationSent(): void;
  /** Removes all requests and returns them. */
  takeAll(): Request[];
  /** Removes and fails all requests. */
  failAll(reason: (request: Request) => AppError): void;
}

/** `onExpire` is called for a request that has timed out and is no longer pending. */
export function createPendingRequests<Request extends PendingRequest>(
  onExpire: (id: number, request: Request) => void,
): PendingRequests<Request> {
  const pending = createIdMap<Request>();
  const deadlines = createDeadlines<number>((id) => {
    const request = take(id);
    if (request !== undefined) onExpire(id, request);
  }, createIdMap<number>());
  const notificationResponses = createNotificationResponses();
  let lastId = 0;

  const take = (id: unknown): Request | undefined => {
    const ownId = toOwnId(id);
    const request = pending.get(ownId);
    if (request === undefined) return undefined;
    pending.delete(ownId);
    deadlines.clear(ownId);
    return request;
  };

  const takeAnswered = (id: unknown): Request | undefined => {
    const request = take(id);
    if (request !== undefined) notificationResponses.responseReceived(toOwnId(id));
    return request;
  };

  const all = () => [...pending].map(([, request]) => request);
  const takeAll = () => {
    const taken = all();
    pending.clear();
    deadlines.close();
    return taken;
  };
  const failAll = (reason: (request: Request) => AppError) => {
    for (const request of takeAll()) request.fail(reason(request));
  };

  /** Fails all requests, because the response may belong to any of them. */
  const handleResponseWithoutId = (message: JsonRpcMessage) => {
    if (notificationResponses.isNotificationResponse(message)) return;
    failAll(({ method }) => new AppError('BAD_ANSWER', `${method}: the server sent a response without an id.`));
  };

  return {
    get size() {
      return pending.size;
    },
    nextId: () => ++lastId,
    add(id, request, timeoutMs) {
      pending.set(id, request);
      deadlines.set(id, timeoutMs);
    },
    extendDeadline(id, timeoutMs) {
      if (pending.get(id) !== undefined) deadlines.set(id, timeoutMs);
    },
    find: (id) => pending.get(toOwnId(id)),
    take,
    takeAnswered,
    all,
    settle(message, frame) {
      if (typeof message.id !== 'number' && typeof message.id !== 'string') return handleResponseWithoutId(message);
      takeAnswered(message.id)?.response(message, frame);
    },
    progress(params, frame) {
      if (isObject(params)) pending.get(toOwnId(params['progressToken']))?.progress(params, frame);
    },
    notificationSent: () => notificationResponses.notificationSent(lastId),
    takeAll,
    failAll,
  };
}

/** Our ids are numbers, but some servers turn them into strings. Any other value matches no request. */
function toOwnId(id: unknown): number {
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id);
  return typeof id === 'number' ? id : Number.NaN;
}

/** Detects responses to notifications. Servers must not send any, but some send "method not found" without an id. */
interface NotificationResponses {
  notificationSent(lastRequestId: number): void;
  responseReceived(id: number): void;
  isNotificationResponse(message: JsonRpcMessage): boolean;
}

function createNotificationResponses(): NotificationResponses {
  let count = 0;
  let requestBefore = 0;
  return {
    notificationSent(lastRequestId) {
      count = Math.min(count + 1, MAX_NOTIFICATIONS);
      requestBefore = lastRequestId;
    },
    responseReceived(id) {
      // A server that responds to a later request has already handled the notifications before it.
      if (id > requestBefore) count = 0;
    },
    isNotificationResponse({ error }) {
      const isTheirs = count > 0 && isObject(error) && error['code'] === METHOD_NOT_FOUND;
      if (isTheirs) count--;
      return isTheirs;
    },
  };
}

const METHOD_NOT_FOUND = -32601;
const MAX_NOTIFICATIONS = 100;
