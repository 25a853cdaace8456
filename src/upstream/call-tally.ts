/** How many calls of its tools a server has answered, and how long the latest of them took. */
export interface CallTally {
  readonly calls: number;
  /** The middle one of the latest; undefined before the first. */
  p50Ms(): number | undefined;
  /** A call has been answered, well or not. Cheap: made for every call. */
  answered(tookMs: number): void;
}

/** Enough for a middle that means something, and few enough to be kept for every server. */
const LATEST = 128;

export function createCallTally(): CallTally {
  const latest: number[] = [];
  let calls = 0;
  return {
    get calls() {
      return calls;
    },
    p50Ms() {
      const sorted = latest.toSorted((a, b) => a - b);
      return sorted[Math.floor((sorted.length - 1) / 2)];
    },
    answered(tookMs) {
      latest[calls % LATEST] = tookMs;
      calls++;
    },
  };
}
