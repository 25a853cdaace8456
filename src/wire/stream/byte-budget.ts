import { AppError } from '../../base/errors.ts';

/** What several streams may hold together of messages that have not ended yet. */
export interface ByteBudget {
  /** One stream's part. `overdrawn` is called when all hold too much and this one the most: it lets go of everything. */
  open(onExceeded: (error: AppError) => void): BudgetShare;
}

interface BudgetShare {
  /** It holds so much now. */
  update(bytes: number): void;
}

/** Over the limit whoever holds the most lets go, so that a stream with a small message never pays for a large one. */
export function createByteBudget(maxBytes: number): ByteBudget {
  const entries = new Set<BudgetEntry>();
  let total = 0;
  return {
    open(onExceeded) {
      const entry: BudgetEntry = { bytes: 0, onExceeded };
      return {
        update(bytes) {
          total += bytes - entry.bytes;
          entry.bytes = bytes;
          // A stream that is gone holds nothing, and is forgotten.
          if (bytes === 0) entries.delete(entry);
          else entries.add(entry);
          if (total > maxBytes) largest(entries)?.onExceeded(budgetExceeded(maxBytes));
        },
      };
    },
  };
}

interface BudgetEntry {
  bytes: number;
  readonly onExceeded: (error: AppError) => void;
}

function largest(holders: ReadonlySet<BudgetEntry>): BudgetEntry | undefined {
  let found: BudgetEntry | undefined;
  for (const holder of holders) if (found === undefined || holder.bytes > found.bytes) found = holder;
  return found;
}

function budgetExceeded(maxBytes: number): AppError {
  const message = `Unfinished messages are together over the limit of ${maxBytes} bytes, and this is the largest of them.`;
  return new AppError('MESSAGE_TOO_LARGE', message, { data: { maxBytes } });
}
