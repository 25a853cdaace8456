import type { ListKind } from './listing.ts';

const FIRST_DELAY_MS = 1_000;
const MAX_DELAY_MS = 60_000;

/** Lists that a server was asked for and did not give. They are asked for again, after pauses that double up to a minute. */
export interface ListRetries {
  has(kind: ListKind): boolean;
  failed(kind: ListKind): void;
  /** A caller waits for this list: if it fails, it is requested once more without a pause. */
  requestRetry(kind: ListKind): void;
  /** Whether a caller waited for the list that has just failed. The next failure counts again only if somebody wants it. */
  takeRetryRequest(kind: ListKind): boolean;
  /** The list was read. */
  succeeded(kind: ListKind): void;
}

/** `retry` is called when it is time; undefined: never. */
export function createListRetries(retry: ((kind: ListKind) => void) | undefined): ListRetries {
  const counts = new Map<ListKind, number>();
  const timers = new Map<ListKind, NodeJS.Timeout>();
  const retryRequested = new Set<ListKind>();
  return {
    has: (kind) => counts.has(kind),
    failed(kind) {
      const before = counts.get(kind) ?? 0;
      counts.set(kind, before + 1);
      clearTimeout(timers.get(kind));
      if (retry === undefined) return;
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** before, MAX_DELAY_MS);
      timers.set(kind, setTimeout(() => retry(kind), delayMs).unref());
    },
    requestRetry: (kind) => void retryRequested.add(kind),
    takeRetryRequest: (kind) => retryRequested.delete(kind),
    succeeded(kind) {
      retryRequested.delete(kind);
      counts.delete(kind);
      clearTimeout(timers.get(kind));
    },
  };
}
