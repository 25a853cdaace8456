import { middleOf } from '../../base/middle.ts';

/** How many calls of its tools a server has answered, and how long the latest of them took. */
export interface CallStats {
  readonly calls: number;
  /** The middle one of the latest, to a tenth; undefined before the first. */
  p50Ms(): number | undefined;
  /** A call has been answered, well or not. Cheap: made for every call. */
  record(tookMs: number): void;
  /** The server asks a person or a model, who may think for minutes: of no call that is under way now the time counts. */
  ignorePendingTimings(): void;
}

/** Enough for a middle that means something, and few enough to be kept for every server. */
const SAMPLE_SIZE = 128;

export function createCallStats(now = () => performance.now()): CallStats {
  const samples: number[] = [];
  let calls = 0;
  let timed = 0;
  let ignoredUntil: number | undefined;
  /** The middle as it was found last, and after how many calls. */
  let found: { readonly calls: number; readonly middle: number | undefined } | undefined;
  return {
    get calls() {
      return calls;
    },
    p50Ms() {
      if (found?.calls !== calls) found = { calls, middle: toTenth(middleOf(samples)) };
      return found.middle;
    },
    record(tookMs) {
      calls++;
      // Nobody knows on whose behalf it asked: every call that had begun by then may have waited for the answer.
      if (ignoredUntil !== undefined && now() - tookMs <= ignoredUntil) return;
      samples[timed % SAMPLE_SIZE] = tookMs;
      timed++;
    },
    ignorePendingTimings() {
      ignoredUntil = now();
    },
  };
}

function toTenth(ms: number | undefined): number | undefined {
  return ms === undefined ? undefined : Math.round(ms * 10) / 10;
}
