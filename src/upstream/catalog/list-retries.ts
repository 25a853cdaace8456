import type { ListKind } from './listing.ts';

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 60_000;

/** Lists that a server was asked for and did not give. They are asked for again, after pauses that double up to a minute. */
export interface ListFailures {
  has(kind: ListKind): boolean;
  add(kind: ListKind): void;
  /** A caller waits for this list: if it fails, it is requested once more without a pause. */
  want(kind: ListKind): void;
  /** Whether a caller waited for the list that has just failed. The next failure counts again only if somebody wants it. */
  takeWanted(kind: ListKind): boolean;
  /** The list was read. */
  delete(kind: ListKind): void;
}

/** `retry` is called when it is time; undefined: never. */
export function createListFailures(retry: ((kind: ListKind) => void) | undefined): ListFailures {
  const counts = new Map<ListKind, number>();
  const timers = new Map<ListKind, NodeJS.Timeout>();
  const wanted = new Set<ListKind>();
  return {
    has: (kind) => counts.has(kind),
    add(kind) {
      const before = counts.get(kind) ?? 0;
      counts.set(kind, before + 1);
      clearTimeout(timers.get(kind));
      if (retry === undefined) return;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** before, LONGEST_PAUSE_MS);
      timers.set(kind, setTimeout(() => retry(kind), pauseMs).unref());
    },
    want: (kind) => void wanted.add(kind),
    takeWanted: (kind) => wanted.delete(kind),
    delete(kind) {
      wanted.delete(kind);
      counts.delete(kind);
      clearTimeout(timers.get(kind));
    },
  };
}
