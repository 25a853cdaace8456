import type { AppError } from '../base/errors.ts';

/** State of one server, in the terms that the status output uses. */
export type UpstreamState =
  /** Known from an earlier run; starts on the first call. */
  | { readonly kind: 'idle' }
  | { readonly kind: 'connecting' }
  | { readonly kind: 'auth_required'; readonly reason: string }
  | { readonly kind: 'ready' }
  | { readonly kind: 'error'; readonly error: AppError };

/** Returns whether the server is connected or about to be, so that waiting for it makes sense. */
export function isStartingOrReady({ kind }: UpstreamState): boolean {
  return kind === 'connecting' || kind === 'ready';
}

/** The parsed `initialize` result of a server. */
export interface InitializeResult {
  readonly protocolVersion: string;
  readonly capabilities: Readonly<Record<string, unknown>>;
  readonly serverInfo: unknown;
  readonly instructions: string | undefined;
  /** The whole `initialize` result as JSON text. */
  readonly json: string;
}
