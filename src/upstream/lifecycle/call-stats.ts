/** Number of tool calls that a server has answered, and the duration of the latest ones. */
export interface CallStats {
  readonly calls: number;
  /** Returns the median of the latest durations, to a tenth; undefined before the first. */
  p50Ms(): number | undefined;
  /** Records a completed call, successful or not. Cheap, because it runs for every call. */
  record(tookMs: number): void;
  /**
   * Excludes the durations of all pending calls, because the server now waits for a person or a model, possibly for
   * minutes.
   */
  ignorePendingTimings(): void;
}

/** Enough samples for a meaningful median, and few enough to keep for every server. */
const SAMPLE_SIZE = 128;

export function createCallStats(now = () => performance.now()): CallStats {
  const samples: number[] = [];
  let calls = 0;
  let timed = 0;
  let ignoredUntil: number | undefined;
  /** Cached median, and the call count for which it was computed. */
  let cached: { readonly calls: number; readonly medianMs: number | undefined } | undefined;
  return {
    get calls() {
      return calls;
    },
    p50Ms() {
      if (cached?.calls !== calls) cached = { calls, medianMs: toTenth(medianOf(samples)) };
      return cached.medianMs;
    },
    record(tookMs) {
      calls++;
      // The call behind the server's request is unknown: every call pending at that time may have waited for the
      // response.
      if (ignoredUntil !== undefined && now() - tookMs <= ignoredUntil) return;
      samples[timed % SAMPLE_SIZE] = tookMs;
      timed++;
    },
    ignorePendingTimings() {
      ignoredUntil = now();
    },
  };
}

/** Returns the lower of the two middle numbers if their count is even; undefined if there are none. */
function medianOf(numbers: readonly number[]): number | undefined {
  return numbers.toSorted((a, b) => a - b)[(numbers.length - 1) >> 1];
}

function toTenth(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}
