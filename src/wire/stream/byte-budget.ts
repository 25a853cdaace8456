import { AppError } from '../../base/errors.ts';

/** A limit on the unfinished messages of several streams together. */
export interface ByteBudget {
  /**
   * Opens the share of one stream. `onExceeded` is called when the total is over the limit and this share is the
   * largest. The stream must then drop everything that it holds.
   */
  open(onExceeded: (error: AppError) => void): BudgetShare;
}

interface BudgetShare {
  /** Sets how much the stream holds now. */
  update(bytes: number): void;
}

/** Over the limit, the largest share is dropped, so that a stream with a small message never pays for a large one. */
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
          // A closed stream holds nothing, and its entry is removed.
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
  const message = `Unfinished messages are together over the limit of ${maxBytes} bytes, and this is the largest.`;
  return new AppError('MESSAGE_TOO_LARGE', message, { data: { maxBytes } });
}
