import type { AppError } from '../../base/errors.ts';
import type { Slotted } from '../../base/slot-set.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';

/** A client request without a response yet. */
export interface UnansweredRequest extends Slotted {
  readonly idText: string;
  /** Where its response and everything that relates to it goes. */
  readonly exchange: Exchange;
  /** The server that handles the request, or undefined while none does. */
  readonly upstream: Upstream | undefined;
  /** The order of arrival. Only `UnansweredRequests` sets it. */
  sequence: number;
  /** Cancels the request for the client. No response is sent. */
  cancel(reason: string): void;
  /** Gives up on the request and sends a final response, usually an error, to the client. */
  abandon(reason: AppError): void;
}
