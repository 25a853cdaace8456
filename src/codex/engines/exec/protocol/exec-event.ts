import type { Item, PlanStep, Usage } from '../../../item-types.ts';

/**
 * An event from one line of `codex exec --json`, independent of its format. An item without an id has an empty one. The
 * end of an item may omit details that its start had: see `turn-reader.ts`.
 */
export type ExecEvent =
  | { readonly kind: 'session'; readonly sessionId: string; readonly model: string | undefined }
  | { readonly kind: 'turn-started' }
  | { readonly kind: 'item'; readonly item: Item }
  | { readonly kind: 'plan'; readonly plan: readonly PlanStep[] }
  | { readonly kind: 'diff'; readonly diff: string }
  /** The total of the session. The usage of a turn is the difference to the total before. */
  | { readonly kind: 'usage'; readonly total: Usage; readonly contextWindow: number | undefined }
  /** Ends the turn unless another event follows: then Codex has retried. */
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'retrying'; readonly message: string }
  | { readonly kind: 'warning'; readonly message: string }
  | { readonly kind: 'turn-completed'; readonly lastMessage: string | undefined }
  | { readonly kind: 'turn-failed'; readonly message: string }
  | { readonly kind: 'turn-aborted' };
