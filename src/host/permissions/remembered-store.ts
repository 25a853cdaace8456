import type { RememberedDecision } from './remembered-decisions.ts';

/** Storage for the decisions of people. */
export interface RememberedStore {
  /** Returns the current decisions. Returns none when they cannot be read, and warns the host instead of throwing. */
  read(): readonly RememberedDecision[];
  /** Updates the decisions atomically. On failure, everything stays unchanged and the host is warned. */
  update(changed: UpdateDecisions): Promise<void>;
  /** Updates synchronously, for callers that need to know the outcome. Throws on failure. */
  updateNow(changed: UpdateDecisions): void;
}

type UpdateDecisions = (decisions: readonly RememberedDecision[]) => readonly RememberedDecision[];

/** Creates a store in memory, which ends with the host. */
export function createRememberedStore(): RememberedStore {
  let decisions: readonly RememberedDecision[] = [];
  const updateNow = (update: UpdateDecisions) => {
    decisions = update(decisions);
  };
  return { read: () => decisions, update: async (update) => updateNow(update), updateNow };
}
