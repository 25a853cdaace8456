import type { Usage } from '../../item-types.ts';

/** What is remembered of a session from turn to turn. */
interface SessionUsageTotals {
  /** What the session had used before the turn that begins now, when that is known. */
  totalBefore(sessionId: string): Usage | undefined;
  /** `total` is undefined when it was not told: what an interrupted turn has used is told by nobody. */
  set(sessionId: string, total: Usage | undefined): void;
}

/** The one that was not used for the longest time is forgotten first. */
const MAX_SESSIONS = 1_000;

export function createSessionUsageTotals(): SessionUsageTotals {
  const totals = new Map<string, Usage | undefined>();

  function set(sessionId: string, total: Usage | undefined): void {
    totals.delete(sessionId);
    totals.set(sessionId, total);
    const [oldest] = totals.keys();
    if (totals.size > MAX_SESSIONS && oldest !== undefined) totals.delete(oldest);
  }

  return { totalBefore: (sessionId) => totals.get(sessionId), set };
}
