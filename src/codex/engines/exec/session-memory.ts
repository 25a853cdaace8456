import type { Usage } from '../../item-types.ts';

/** The token usage of sessions, kept from turn to turn. */
interface SessionUsageTotals {
  /** Returns the usage of the session before the turn that begins now, if it is known. */
  totalBefore(sessionId: string): Usage | undefined;
  /** `total` is undefined if it is unknown: Codex does not report the usage of an interrupted turn. */
  set(sessionId: string, total: Usage | undefined): void;
}

/** The maximum number of sessions. The least recently used one is dropped first. */
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
