import type { SentRequest } from '../transport.ts';
import type { ExchangeFailure } from './exchange/exchange.ts';

/** Sequence numbers of sent requests, and the requests that never reached the server. */
export interface UndeliveredRequests {
  nextSequence(): number;
  recordSent(request: SentRequest): void;
  forget(id: number): void;
  recordUndelivered(request: SentRequest | undefined): void;
  /** Records whether the request was delivered. Returns true if the server is unreachable or requires a sign-in. */
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
    recordSent: ({ id, sequence }) => void sequences.set(id, sequence),
    forget: (id) => void sequences.delete(id),
    recordUndelivered,
    recordFailure(request, { error, isUndelivered, isForbidden }) {
      if (!isUndelivered) return false;
      recordUndelivered(request);
      return error.code === 'UNREACHABLE' || (error.code === 'SIGN_IN_NEEDED' && !isForbidden);
    },
    isUndelivered: (sequence) => undelivered.has(sequence),
  };
}
