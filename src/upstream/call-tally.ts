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
  /** The middle as it was found last, and after how many calls. */
  let found: { readonly calls: number; readonly middle: number | undefined } | undefined;
  return {
    get calls() {
      return calls;
    },
    p50Ms() {
      if (found?.calls !== calls) {
        const sorted = Float64Array.from(latest).sort();
        found = { calls, middle: sorted[Math.floor((sorted.length - 1) / 2)] };
      }
      return found.middle;
    },
    answered(tookMs) {
      latest[calls % LATEST] = tookMs;
      calls++;
    },
  };
}
