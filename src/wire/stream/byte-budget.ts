import { AppError } from '../../base/errors.ts';

/** What several streams may hold together of messages that have not ended yet. */
export interface ByteBudget {
  /** One stream's part. `overdrawn` is called when all hold too much and this one the most: it lets go of everything. */
  open(overdrawn: (error: AppError) => void): BudgetShare;
}

interface BudgetShare {
  /** It holds so much now. */
  hold(bytes: number): void;
}

/** Over the limit whoever holds the most lets go, so that a stream with a small message never pays for a large one. */
export function createByteBudget(maxBytes: number): ByteBudget {
  const holders = new Set<Holder>();
  let total = 0;
  return {
    open(overdrawn) {
      const own: Holder = { bytes: 0, overdrawn };
      return {
        hold(bytes) {
          total += bytes - own.bytes;
          own.bytes = bytes;
          // A stream that is gone holds nothing, and is forgotten.
          if (bytes === 0) holders.delete(own);
          else holders.add(own);
          if (total > maxBytes) largest(holders)?.overdrawn(tooMuch(maxBytes));
        },
      };
    },
  };
}

interface Holder {
  bytes: number;
  readonly overdrawn: (error: AppError) => void;
}

function largest(holders: ReadonlySet<Holder>): Holder | undefined {
  let found: Holder | undefined;
  for (const holder of holders) if (found === undefined || holder.bytes > found.bytes) found = holder;
  return found;
}

function tooMuch(maxBytes: number): AppError {
  const message = `Unfinished messages are together over the limit of ${maxBytes} bytes, and this is the largest of them.`;
  return new AppError('MESSAGE_TOO_LARGE', message, { data: { maxBytes } });
}
