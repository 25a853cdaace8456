import { createDeadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import type { Frame } from '../frame.ts';
import { isObject, type JsonRpcMessage } from '../messages.ts';
import { createNotificationResponses } from '../notified.ts';
import { createIdMap } from './id-map.ts';

/** Somebody who waits for the other side to answer a request of ours. Told exactly once, by `answer` or by `fail`. */
export interface PendingRequest {
  readonly method: string;
  /** `frame` is the message as it came. */
  response(message: JsonRpcMessage, frame: Frame): void;
  fail(error: AppError): void;
  progress(params: Readonly<Record<string, unknown>>, frame: Frame): void;
}

/** All who wait for one side, under the ids that we gave their requests. */
export interface PendingRequests<Who extends PendingRequest> {
  readonly size: number;
  /** Never given before. */
  nextId(): number;
  add(id: number, request: Who, timeoutMs: number): void;
  /** It is given so much time from now on. */
  extendDeadline(id: number, timeoutMs: number): void;
  find(id: unknown): Who | undefined;
  take(id: unknown): Who | undefined;
  all(): Who[];
  /** Hands an answer to whoever waits for it. An id that nobody waits for is late or made up: dropped. */
  settle(message: JsonRpcMessage, frame: Frame): void;
  progress(params: unknown, frame: Frame): void;
  /** A notification went out: some servers answer one, without an id, and that concerns nobody. */
  notificationSent(): void;
  /** Nobody waits any more; whoever did is in the result. */
  takeAll(): Who[];
  /** Everyone is told; nobody waits any more. */
  failAll(reason: (request: Who) => AppError): void;
}

/** `onExpire` is called for one whose time is over and who no longer waits. */
export function createPendingRequests<Who extends PendingRequest>(
  onExpire: (id: number, request: Who) => void,
): PendingRequests<Who> {
  const pending = createIdMap<Who>();
  const deadlines = createDeadlines<number>((id) => {
    const request = take(id);
    if (request !== undefined) onExpire(id, request);
  }, createIdMap<number>());
  const notificationResponses = createNotificationResponses();
  let lastId = 0;

  const take = (id: unknown): Who | undefined => {
    const ownId = toOwnId(id);
    const request = pending.get(ownId);
    if (request === undefined) return undefined;
    pending.delete(ownId);
    deadlines.clear(ownId);
    return request;
  };

  const all = () => [...pending].map(([, request]) => request);
  const takeAll = () => {
    const taken = all();
    pending.clear();
    deadlines.close();
    return taken;
  };
  const failAll = (reason: (request: Who) => AppError) => {
    for (const request of takeAll()) request.fail(reason(request));
  };

  /** Nobody can tell whose answer this was, so everyone who waits is told. */
  const handleResponseWithoutId = (message: JsonRpcMessage) => {
    if (notificationResponses.isNotificationResponse(message)) return;
    failAll(({ method }) => new AppError('BAD_ANSWER', `${method}: the server sent an answer without an id.`));
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
    all,
    settle(message, frame) {
      if (typeof message.id !== 'number' && typeof message.id !== 'string') return handleResponseWithoutId(message);
      const request = take(message.id);
      if (request === undefined) return;
      notificationResponses.responseReceived(toOwnId(message.id));
      request.response(message, frame);
    },
    progress(params, frame) {
      if (isObject(params)) pending.get(toOwnId(params['progressToken']))?.progress(params, frame);
    },
    notificationSent: () => notificationResponses.notificationSent(lastId),
    takeAll,
    failAll,
  };
}

/** Our ids are numbers, and some servers turn them into strings. Anything else is nobody's id. */
function toOwnId(id: unknown): number {
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id);
  return typeof id === 'number' ? id : Number.NaN;
}
