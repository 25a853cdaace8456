import type { SlotSet } from '../../../base/slot-set.ts';
import type { OutgoingMessage } from '../../../wire/json/splice.ts';
import type { HttpConnection } from './endpoint.ts';
import type { EventStream } from './event-stream.ts';
import type { HttpExchange } from './http-exchange.ts';
import type { HttpLimits } from './limits.ts';
import type { Principal } from './principal.ts';
import type { Refusal } from './refusal.ts';

/** The state that all requests of a front share. */
export interface FrontState {
  readonly limits: HttpLimits;
  /** The POST requests whose response is not completely written. */
  readonly exchanges: SlotSet<HttpExchange>;
  /** The event streams with a connection. */
  readonly streams: Set<EventStream>;
  /** Set when the front closes. It then accepts no new sessions. */
  isDraining: boolean;
  /** Set when another process continues the sessions. */
  isHandedOver: boolean;
}

/** A client of the front: a legacy session, or a modern client. */
export interface FrontClient {
  readonly era: 'legacy' | 'modern';
  readonly principal: Principal;
  readonly connection: HttpConnection;
  /** Whether a request of the client has arrived in part. */
  readonly isSending: boolean;
  /** How many of its POST requests have no complete response. */
  openRequests: number;
  /**
   * Heartbeats since its last request arrived or its last response ended. Counts heartbeats instead of time, because
   * after a pause of the process, the first heartbeat comes before it reads the requests that have arrived meanwhile.
   */
  idleHeartbeats: number;
  /** Set when the client was closed. Requests that are still open get this answer. */
  closedBecause: Refusal | undefined;
  /** Opens the event stream of one request. `idText` is its id as JSON, if it is known. */
  openStream(idText: string | undefined): EventStream;
  /** Sends a message that belongs to no open request. */
  send(message: OutgoingMessage): void;
}

/**
 * Whether a client without open requests has been idle for too long. The first heartbeat may come right after its last
 * use.
 */
export function isIdle({ idleHeartbeats }: FrontClient, { sessionIdleMs, heartbeatMs }: HttpLimits): boolean {
  return (idleHeartbeats - 1) * heartbeatMs >= sessionIdleMs;
}
