import type { IncomingApproval } from '../engine.ts';

/** An approval request that waits for a response. The session that it belongs to owns it. */
export interface PendingApproval extends IncomingApproval {
  /** Unguessable: a caller that has the id was shown the request. */
  readonly id: string;
  readonly requestedAt: number;
  /** True while the client shows a prompt to its user. If the user does not respond, `codex_respond` may. */
  isPrompting: boolean;
  wasPrompted: boolean;
  /** True while an answer is checked and its note is sent to the model. */
  isDeciding: boolean;
  /** Aborts when the prompt is no longer needed. */
  readonly promptController: AbortController;
  readonly timer: NodeJS.Timeout;
  respond(response: unknown): void;
}
