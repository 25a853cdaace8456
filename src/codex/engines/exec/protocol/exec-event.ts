import type { Item, PlanStep, Usage } from '../../../item-types.ts';

/**
 * What one line of `codex exec --json` says, whichever of its formats it is in. An item without an id of its own has the
 * empty one, and an item that ends may leave out what was said when it began: see `turn-reader.ts`.
 */
export type ExecEvent =
  | { readonly kind: 'session'; readonly sessionId: string; readonly model: string | undefined }
  | { readonly kind: 'turn-started' }
  | { readonly kind: 'item'; readonly item: Item }
  | { readonly kind: 'plan'; readonly plan: readonly PlanStep[] }
  | { readonly kind: 'diff'; readonly diff: string }
  /** Of the whole session: a turn has to be reckoned from the one before. */
  | { readonly kind: 'usage'; readonly total: Usage; readonly contextWindow: number | undefined }
  /** The end of the turn, unless more follows: then Codex has tried again. */
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'retrying'; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'turn-completed'; readonly lastMessage: string | undefined }
  | { readonly kind: 'turn-failed'; readonly message: string }
  | { readonly kind: 'turn-aborted' };
