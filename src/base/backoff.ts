/** Decides when a server that fell is started again, and when callers no longer wait for it. */
export interface BackOff {
  /** Records a fall and returns how long to wait before the next start. A cheap fall never makes the server broken. */
  fell(fall?: { readonly isCheap: boolean }): number;
  /** It has been well for a while: what was before no longer counts. */
  recovered(): void;
  /** It fell so often lately that nobody should wait for it. */
  isBroken(): boolean;
}

export interface BackOffOptions {
  readonly now: () => number;
  /** From 0 to below 1. */
  readonly random: () => number;
}

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 30_000;
const BROKEN_FALLS = 5;
const BROKEN_WITHIN_MS = 60_000;

/**
 * The first restart is immediate, because most servers fall once. Each further pause is twice as long, up to a limit,
 * and up to a quarter shorter or longer, so that servers which fell together do not start together for ever.
 */
export function createBackOff({ now, random }: BackOffOptions): BackOff {
  let falls: number[] = [];
  let inARow = 0;

  const forgetOld = () => {
    const since = now() - BROKEN_WITHIN_MS;
    falls = falls.filter((at) => at > since);
  };

  return {
    fell({ isCheap } = { isCheap: false }) {
      forgetOld();
      if (!isCheap) falls.push(now());
      inARow++;
      if (inARow === 1) return 0;
      const pauseMs = Math.min(FIRST_PAUSE_MS * 2 ** (inARow - 2), LONGEST_PAUSE_MS);
      return Math.round(pauseMs * (0.75 + random() / 2));
    },
    recovered() {
      inARow = 0;
    },
    isBroken() {
      forgetOld();
      return falls.length >= BROKEN_FALLS;
    },
  };
}
