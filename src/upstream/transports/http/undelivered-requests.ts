import type { SentRequest } from '../transport.ts';
import type { ExchangeFailure } from './exchange/exchange.ts';

/** Sequence numbers of sent requests, and the requests that never reached the server. */
export interface UndeliveredRequests {
  nextSequence(): number;
  recordSent(request: SentRequest): void;
  forget(id: number): void;
  recordUndelivered(request: SentRequest | undefined): void;
  /** Records whether the failed request was delivered. */
  recordFailure(request: SentRequest | undefined, failure: ExchangeFailure): void;
  isUndelivered(sequence: number): boolean;
}

export function createUndeliveredRequests(): UndeliveredRequests {
  let last = 0;
  const sequences = new Map<number, number>();
  const undelivered = new Set<number>();
  const recordUndelivered = (request: SentRequest | undefined) => {
    const sequence = request && sequences.get(request.id);
    if (sequence !== undefined) undelivered.add(sequence);
  };
  return {
    nextSequence: () => ++last,
    recordSent: ({ id, sequence }) => void sequences.set(id, sequence),
    forget: (id) => void sequences.delete(id),
    recordUndelivered,
    recordFailure(request, { isUndelivered }) {
      if (isUndelivered) recordUndelivered(request);
    },
    isUndelivered: (sequence) => undelivered.has(sequence),
  };
}

/** Returns true if the server is unreachable or requires a sign-in, so that later requests would fail as well. */
export function isServerGone({ error, isUndelivered, isForbidden }: ExchangeFailure): boolean {
  if (!isUndelivered) return false;
  return error.code === 'UNREACHABLE' || (error.code === 'SIGN_IN_NEEDED' && !isForbidden);
}
