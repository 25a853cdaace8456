import type { SentRequest } from '../transport.ts';
import type { ExchangeFailure } from './exchange/exchange.ts';

/** Which request was sent under which mark, and which of them the server surely never heard of. */
export interface UndeliveredRequests {
  nextSequence(): number;
  recordSent(request: SentRequest): void;
  forget(id: number): void;
  recordUndelivered(request: SentRequest | undefined): void;
  /** Keeps whether it was heard. True when the server is gone: it cannot be reached, or does not know us any more. */
  recordFailure(request: SentRequest | undefined, failure: ExchangeFailure): boolean;
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
    recordSent: ({ id }) => void sequences.set(id, last),
    forget: (id) => void sequences.delete(id),
    recordUndelivered,
    recordFailure(request, { error, isUndelivered, isSignInNeeded }) {
      if (!isUndelivered) return false;
      recordUndelivered(request);
      return error.code === 'UNREACHABLE' || (isSignInNeeded && error.code === 'SIGN_IN_NEEDED');
    },
    isUndelivered: (sequence) => undelivered.has(sequence),
  };
}
