import type { RememberedDecision } from './remembered-decisions.ts';

/** Where the decisions of people are kept. */
export interface RememberedStore {
  /** Those of now. Nothing when they cannot be read, which is told to the host and not thrown. */
  read(): readonly RememberedDecision[];
  /** Nobody else changes them in between. When it cannot be done, everything stays as it is, and the host is told. */
  update(changed: UpdateDecisions): Promise<void>;
  /** The same at once, for who must know that it is done. Throws when it cannot be done. */
  updateNow(changed: UpdateDecisions): void;
}

type UpdateDecisions = (decisions: readonly RememberedDecision[]) => readonly RememberedDecision[];

/** Decisions that end with the host. */
export function createRememberedStore(): RememberedStore {
  let decisions: readonly RememberedDecision[] = [];
  const updateNow = (update: UpdateDecisions) => {
    decisions = update(decisions);
  };
  return { read: () => decisions, update: async (update) => updateNow(update), updateNow };
}
