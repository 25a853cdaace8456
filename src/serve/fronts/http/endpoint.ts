import type { AppError } from '../../../base/errors.ts';
import type { ParamHeader } from '../../../schema/param-headers.ts';
import type { Frame } from '../../../wire/frame.ts';
import type { OutgoingMessage } from '../../../wire/json/splice.ts';
import type { RequestParts } from '../../../wire/relay/read-common-request.ts';
import type { Exchange } from '../../../wire/rpc/exchange.ts';
import type { Principal } from './principal.ts';

/** Answers the MCP messages of one path. */
export interface HttpEndpoint {
  /** Opens the connection of one client: a legacy session, or a modern client. */
  connect(client: HttpClient, output: HttpOutput): HttpConnection;
}

export interface HttpClient {
  readonly principal: Principal;
  readonly era: 'legacy' | 'modern';
  /** What an earlier process knew about this session. Undefined for a new client. */
  readonly restored?: RestoredSession | undefined;
  /** Stores the settings of a legacy client for a process that continues its session. Call it after each change. */
  saveSettings(settings: SessionSettings): void;
}

export interface RestoredSession extends SessionSettings {
  /** The params of `initialize`: `protocolVersion` as negotiated, `clientInfo` and `capabilities`. */
  readonly initializeParams: Readonly<Record<string, unknown>>;
}

/** The changes that a client made to its session. */
export interface SessionSettings {
  readonly logLevel?: string | undefined;
  readonly subscriptions: readonly string[];
}

export interface HttpOutput {
  /** Whether a message that relates to no request reaches the client now, because it has opened the GET stream. */
  readonly isListening: boolean;
  /** Sends a message that relates to no request, on the GET stream. Queues it while there is no stream. */
  send(message: OutgoingMessage): void;
}

/** One client of an endpoint. */
export interface HttpConnection {
  /**
   * Handles one message. Notifications and responses get `exchange.respond(undefined)`. Never throws. `parts` are those
   * of a request that the front has read already.
   */
  receive(frame: Frame, exchange: Exchange, parts?: RequestParts): void;
  /**
   * Called when the client has closed the stream of this exchange before its response. Cancels the request of a modern
   * client. The request of a legacy client continues, because the client may resume the stream.
   */
  abandon(exchange: Exchange): void;
  /** Whether calls are running, or wait for input from the client. Streams of changes do not count. */
  readonly isBusy: boolean;
  /** Ends the streams of changes with a response, and cancels everything else that runs for the client. */
  close(reason: AppError): void;
  /** Returns the arguments of a tool that a modern client must repeat in headers. Undefined if there are none. */
  paramHeaders?(tool: string): readonly ParamHeader[] | undefined;
}
