import type { AppError } from '../base/errors.ts';

/** How it stands with one server, in the words that a person reads. */
export type UpstreamState =
  | { readonly kind: 'disabled'; readonly reason: string }
  /** Known from before, and started when somebody calls it. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'auth_required'; readonly reason: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'error'; readonly error: AppError };

/** What a server said of itself when it was connected. */
export interface InitializeResult {
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly serverInfo: unknown;
  readonly instructions: string | undefined;
  /** The whole result of `initialize`, as JSON text. */
  readonly json: string;
}
