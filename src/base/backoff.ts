/** Restart policy: decides when a crashed server is restarted, and when callers no longer wait for it. */
export interface Backoff {
  /** Records a failure and returns the delay before the next start. A cheap failure never opens the circuit. */
  failed(failure?: { readonly isCheap: boolean }): number;
  /** Resets the delay, because the server has been healthy for a while. Recent failures still count for the circuit. */
  recovered(): void;
  /** Returns whether the server has failed so often recently that no caller should wait for it. */
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
 * Creates an exponential backoff. The first restart is immediate, because most servers crash only once. Each further
 * delay is twice as long, up to a limit. A jitter of up to 25 % keeps servers that crashed together from restarting
 * together for ever.
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
      const delayMs = backoffDelay(consecutive - 1, { firstMs: FIRST_DELAY_MS, maxMs: MAX_DELAY_MS });
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

/** Returns the delay after this many failures in a row: `firstMs` after the first, then twice as long each time. */
export function backoffDelay(failures: number, { firstMs, maxMs }: BackoffLimits): number {
  return Math.min(firstMs * 2 ** (failures - 1), maxMs);
}

export interface BackoffLimits {
  readonly firstMs: number;
  readonly maxMs: number;
}
