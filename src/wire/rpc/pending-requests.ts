import { createDeadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';
import { createRing } from '../../base/ring.ts';
import type { Frame } from '../frame.ts';
import { type Incoming, isObject } from '../messages.ts';
import { createNotified } from '../notified.ts';

/** Somebody who waits for the other side to answer a request of ours. Told exactly once, by `answer` or by `fail`. */
export interface Waiting {
  readonly method: string;
  /** `frame` is the message as it came. */
  answer(message: Incoming, frame: Frame): void;
  fail(error: AppError): void;
  progress(params: Readonly<Record<string, unknown>>, frame: Frame): void;
}

/** All who wait for one side, under the ids that we gave their requests. */
export interface WaitingTable<Who extends Waiting> {
  readonly size: number;
  /** Never given before. */
  nextId(): number;
  add(id: number, who: Who, timeoutMs: number): void;
  /** It is given so much time from now on. */
  extend(id: number, timeoutMs: number): void;
  find(id: unknown): Who | undefined;
  take(id: unknown): Who | undefined;
  all(): Who[];
  /** Hands an answer to whoever waits for it. An id that nobody waits for is late or made up: dropped. */
  answer(message: Incoming, frame: Frame): void;
  progress(params: unknown, frame: Frame): void;
  /** A notification went out: some servers answer one, without an id, and that concerns nobody. */
  notified(): void;
  /** Nobody waits any more; whoever did is in the result. */
  takeAll(): Who[];
  /** Everyone is told; nobody waits any more. */
  failAll(reason: (who: Who) => AppError): void;
}

/** `onExpire` is called for one whose time is over and who no longer waits. */
export function createWaitingTable<Who extends Waiting>(onExpire: (id: number, who: Who) => void): WaitingTable<Who> {
  const waiting = createRing<Who>();
  const deadlines = createDeadlines<number>((id) => {
    const who = take(id);
    if (who !== undefined) onExpire(id, who);
  }, createRing<number>());
  const notified = createNotified();
  let lastId = 0;

  const take = (id: unknown): Who | undefined => {
    const own = toOwnId(id);
    const who = waiting.get(own);
    if (who === undefined) return undefined;
    waiting.delete(own);
    deadlines.clear(own);
    return who;
  };

  const all = () => [...waiting].map(([, who]) => who);
  const takeAll = () => {
    const taken = all();
    waiting.clear();
    deadlines.close();
    return taken;
  };
  const failAll = (reason: (who: Who) => AppError) => {
    for (const who of takeAll()) who.fail(reason(who));
  };

  /** Nobody can tell whose answer this was, so everyone who waits is told. */
  const answerWithoutId = (message: Incoming) => {
    if (notified.isAnsweredBy(message)) return;
    failAll(({ method }) => new AppError('BAD_ANSWER', `${method}: the server sent an answer without an id.`));
  };

  return {
    get size() {
      return waiting.size;
    },
    nextId: () => ++lastId,
    add(id, who, timeoutMs) {
      waiting.set(id, who);
      deadlines.set(id, timeoutMs);
    },
    extend(id, timeoutMs) {
      if (waiting.get(id) !== undefined) deadlines.set(id, timeoutMs);
    },
    find: (id) => waiting.get(toOwnId(id)),
    take,
    all,
    answer(message, frame) {
      if (typeof message.id !== 'number' && typeof message.id !== 'string') return answerWithoutId(message);
      const who = take(message.id);
      if (who === undefined) return;
      notified.requestAnswered(toOwnId(message.id));
      who.answer(message, frame);
    },
    progress(params, frame) {
      if (isObject(params)) waiting.get(toOwnId(params['progressToken']))?.progress(params, frame);
    },
    notified: () => notified.add(lastId),
    takeAll,
    failAll,
  };
}

/** Our ids are numbers, and some servers turn them into strings. Anything else is nobody's id. */
function toOwnId(id: unknown): number {
  if (typeof id === 'string' && /^\d{1,15}$/.test(id)) return Number(id);
  return typeof id === 'number' ? id : Number.NaN;
}
