import type { OutgoingMessage } from '../../wire/json/splice.ts';
import type { RelayedRequest } from '../../wire/relay/relay-peer.ts';
import type { Upstream } from '../upstream.ts';

/** A request to an upstream, from a client or our own. Ends with exactly one `result`, `response` or `fail` call. */
export interface UpstreamCall extends RelayedRequest {
  /** Timeout of this call; undefined: the upstream's own limit applies. */
  readonly timeoutMs: number | undefined;
  /** The call may be sent again if it was lost before any of it was sent. */
  readonly isIdempotent: boolean;
  /** The client whose request this is. Undefined for requests of our own. */
  readonly client?: object;
  /** Approximate size while it is queued. */
  readonly bytes: number;
  /** Returns the message with the id that the upstream must answer. */
  write(id: number): OutgoingMessage;
  /** Returns true while the upstream waits for someone else before it can answer. The call must not expire then. */
  isDeadlinePaused(): boolean;
  /** Moves an unsent call to the replacement of its server. Returns true if the successor may run it. */
  moveTo?(successor: Upstream): boolean;
  /** Set by the connection when it sends the call. */
  sent: SentCall | undefined;
}

export interface SentCall {
  readonly id: number;
  readonly sequence: number;
  /** When the upstream accepted the call. It may have been queued before it was sent. */
  readonly acceptedAt: number;
  readonly timeoutMs: number;
  /** The deadline was extended by progress, or by an elicitation or another pause. */
  wasExtended: boolean;
}
