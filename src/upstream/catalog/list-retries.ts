import { backoffDelay } from '../../base/backoff.ts';
import type { ListKind } from './listing.ts';

const RETRY_DELAYS = { firstMs: 1_000, maxMs: 60_000 };

/** Schedules retries of failed lists, with pauses that double up to a minute. */
export interface ListRetries {
  has(kind: ListKind): boolean;
  failed(kind: ListKind): void;
  /** Records that a caller waits for this list: if the next read fails, it is retried once without a pause. */
  requestRetry(kind: ListKind): void;
  /** Returns whether a caller waited for the list that has just failed, and clears the request. */
  takeRetryRequest(kind: ListKind): boolean;
  /** Called when the list was read. */
  succeeded(kind: ListKind): void;
}

/** Calls `retry` when a retry is due; undefined disables retries. */
export function createListRetries(retry: ((kind: ListKind) => void) | undefined): ListRetries {
  const counts = new Map<ListKind, number>();
  const timers = new Map<ListKind, NodeJS.Timeout>();
  const retryRequested = new Set<ListKind>();
  return {
    has: (kind) => counts.has(kind),
    failed(kind) {
      const failures = (counts.get(kind) ?? 0) + 1;
      counts.set(kind, failures);
      clearTimeout(timers.get(kind));
      if (retry === undefined) return;
      timers.set(kind, setTimeout(() => retry(kind), backoffDelay(failures, RETRY_DELAYS)).unref());
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
