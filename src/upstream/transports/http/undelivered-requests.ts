import type { SentRequest } from '../transport.ts';
import type { ExchangeFailure } from './exchange/exchange.ts';

/** Which request was sent under which mark, and which of them the server surely never heard of. */
export interface Marks {
  next(): number;
  sent(request: SentRequest): void;
  forget(id: number): void;
  unheard(request: SentRequest | undefined): void;
  /** Keeps whether it was heard. True when the server is gone: it cannot be reached, or does not know us any more. */
  failed(request: SentRequest | undefined, failure: ExchangeFailure): boolean;
  isUnheard(mark: number): boolean;
}

export function createMarks(): Marks {
  let last = 0;
  const marked = new Map<number, number>();
  const unheardMarks = new Set<number>();
  const unheard = (request: SentRequest | undefined) => {
    const mark = request && marked.get(request.id);
    if (mark !== undefined) unheardMarks.add(mark);
  };
  return {
    next: () => ++last,
    sent: ({ id }) => void marked.set(id, last),
    forget: (id) => void marked.delete(id),
    unheard,
    failed(request, { error, isUnheard, isSignInNeeded }) {
      if (!isUnheard) return false;
      unheard(request);
      return error.code === 'UNREACHABLE' || (isSignInNeeded && error.code === 'SIGN_IN_NEEDED');
    },
    isUnheard: (mark) => unheardMarks.has(mark),
  };
}
