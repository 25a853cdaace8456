import type { CacheHints } from '../../upstream/catalog/cache-hints.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Frame } from '../../wire/frame.ts';
import type { JsonRpcMessage } from '../../wire/messages.ts';
import type { CallFrame } from '../../wire/relay/read-call.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Client } from '../client/client.ts';

/** A client request that did not take the fast path for tool calls. */
export interface ClientRequest {
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
  /** The client's id, as JSON text. */
  readonly idText: string;
  readonly method: string;
  readonly exchange: Exchange;
}

/** Decides where messages of clients go: to a single server, to one of many, or to the server of an attached client. */
export interface Routing {
  call(client: Client, call: CallFrame, exchange: Exchange): void;
  /** May throw an `AppError`, which becomes the response. */
  request(client: Client, request: ClientRequest): void;
  notification(client: Client, message: JsonRpcMessage, frame: Frame): void;
  /**
   * Returns how long this client may cache a list that the gateway merges. Forwarded lists carry the hints of their
   * server.
   */
  cacheHints?(client: Client, kind: ListKind): CacheHints;
}

/** Status of the servers for clients. */
export interface StatusTexts {
  /** Returns the content of the status resource for this client, as JSON. */
  json(client: Client): string;
  /** Returns why the server that owns the name is not in use, or undefined if the client sees no such server. */
  whyAbsent(client: Client, publicName: string): string | undefined;
}
