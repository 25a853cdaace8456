import { randomBytes } from 'node:crypto';
import { createDeadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';

/** A request that waits for input from its client. */
export interface HeldRequest {
  /** Gives up on the request, because its client has not returned in time. */
  expire(): void;
}

/** What the answers to a held request must match: who asked, and for what. */
interface HeldKey {
  /** The token of the client. */
  readonly owner: string;
  /** A digest of the method, the name and the arguments. */
  readonly digest: string;
}

/**
 * The requests that were answered with `input_required`, by their `requestState`. A state is random, belongs to one
 * token, one tool and its arguments, works once, and expires.
 */
export interface HeldRequests<Request extends HeldRequest> {
  /** Returns the `requestState`. Throws `BUSY` if too many requests are held. */
  hold(request: Request, key: HeldKey): string;
  /** Returns the request that the state names, and forgets the state. Throws `INVALID_PARAMS` for any other state. */
  take(state: unknown, key: HeldKey): Request;
  /** Forgets a state whose request has ended. */
  forget(state: string): void;
}

/** How long a person may take to answer. */
const HOLD_MS = 15 * 60_000;
const MAX_HELD = 1_000;
/** Below `MAX_HELD`, so that one token cannot block the questions to all others. */
const MAX_HELD_PER_OWNER = 250;

export function createHeldRequests<Request extends HeldRequest>(): HeldRequests<Request> {
  const held = new Map<string, { readonly request: Request; readonly key: HeldKey }>();
  const deadlines = createDeadlines<string>((state) => {
    const expired = held.get(state);
    held.delete(state);
    expired?.request.expire();
  });
  const forget = (state: string) => {
    held.delete(state);
    deadlines.clear(state);
  };
  return {
    hold(request, key) {
      const ofOwner = [...held.values()].filter((one) => one.key.owner === key.owner).length;
      if (held.size >= MAX_HELD || ofOwner >= MAX_HELD_PER_OWNER)
        throw new AppError('BUSY', 'Too many requests are waiting for an answer from their client.');
      const state = `${PROCESS_ID}.${crypto.randomUUID()}`;
      held.set(state, { request, key });
      deadlines.set(state, HOLD_MS);
      return state;
    },
    take(state, { owner, digest }) {
      const found = typeof state === 'string' ? held.get(state) : undefined;
      if (found === undefined && isOfEarlierProcess(state)) throw lostCall();
      if (found === undefined || found.key.owner !== owner || found.key.digest !== digest) throw unknownState();
      forget(String(state));
      return found.request;
    },
    forget,
  };
}

/** The same at every endpoint. Tells states of this process from those of an earlier one. */
const PROCESS_ID = randomBytes(6).toString('hex');
const STATE_FORM = /^[0-9a-f]{12}\.[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

function isOfEarlierProcess(state: unknown): boolean {
  return typeof state === 'string' && STATE_FORM.test(state) && !state.startsWith(PROCESS_ID);
}

function lostCall(): AppError {
  const message =
    'The gateway was restarted, so the call that requestState names is lost. Call again, without requestState and inputResponses.';
  return new AppError('INVALID_PARAMS', message, { data: { retryable: true } });
}

function unknownState(): AppError {
  return new AppError(
    'INVALID_PARAMS',
    'requestState does not name a pending request: it was used, has expired, or belongs to another request.',
  );
}
