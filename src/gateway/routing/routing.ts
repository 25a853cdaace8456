import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import type { JsonRpcMessage } from '../../wire/messages.ts';
import type { CallFrame } from '../../wire/relay/read-call.ts';
import type { Client } from '../client/client.ts';
import type { Reply } from './forwarded-request.ts';

/** A request of a client that is not the plain call of a tool. */
export interface ClientRequest {
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
  /** The client's id, as JSON text. */
  readonly idText: string;
  readonly method: string;
  readonly reply: Reply;
}

/** Where messages go: one server as it is, or many behind one face. */
export interface Routing {
  call(client: Client, call: CallFrame, reply: Reply): void;
  /** May throw an AppError: the client is answered with it. */
  request(client: Client, request: ClientRequest): void;
  notification(client: Client, message: JsonRpcMessage, frame: Frame): void;
  /** A server says something that is neither progress nor a request. */
  upstreamNotification(upstream: Upstream, message: JsonRpcMessage, frame: Frame): void;
  connected(upstream: Upstream): void;
  stateChanged(upstream: Upstream): void;
}
