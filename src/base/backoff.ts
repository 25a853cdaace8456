/** Decides when a server that fell is started again, and when callers no longer wait for it. */
export interface Backoff {
  /** Records a fall and returns how long to wait before the next start. A cheap fall never makes the server broken. */
  failed(failure?: { readonly isCheap: boolean }): number;
  /** It has been well for a while: what was before no longer counts. */
  recovered(): void;
  /** It fell so often lately that nobody should wait for it. */
  isCircuitOpen(): boolean;
}

export interface BackoffOptions {
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

const FIRST_DELAY_MS = 500;
const MAX_DELAY_MS = 30_000;
const MAX_RECENT_FAILURES = 5;
const RECENT_MS = 60_000;

/**
 * The first restart is immediate, because most servers fall once. Each further pause is twice as long, up to a limit,
 * and up to a quarter shorter or longer, so that servers which fell together do not start together for ever.
 */
export function createBackoff({ now, random }: BackoffOptions): Backoff {
  let failures: number[] = [];
  let consecutive = 0;

  const forgetOld = () => {
    const since = now() - RECENT_MS;
    failures = failures.filter((at) => at > since);
  };

  return {
    failed({ isCheap } = { isCheap: false }) {
      forgetOld();
      if (!isCheap) failures.push(now());
      consecutive++;
      if (consecutive === 1) return 0;
      const delayMs = Math.min(FIRST_DELAY_MS * 2 ** (consecutive - 2), MAX_DELAY_MS);
      return Math.round(delayMs * (0.75 + random() / 2));
    },
    recovered() {
      consecutive = 0;
    },
    isCircuitOpen() {
      forgetOld();
      return failures.length >= MAX_RECENT_FAILURES;
    },
  };
}
