import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import type { Slotted } from '../../../base/slot-set.ts';
import type { Frame } from '../../../wire/frame.ts';
import type { OutgoingMessage } from '../../../wire/json/splice.ts';
import type { Exchange } from '../../../wire/rpc/exchange.ts';
import type { Accepted } from './accept.ts';
import { EVENT_STREAM_HEADERS, type EventStream } from './event-stream.ts';
import type { FrontClient, FrontState } from './front-state.ts';
import { writeJson } from './json-response.ts';
import { idTextIn } from './lost-request.ts';
import { sendRefusal } from './refusal.ts';
import { statusOf } from './response-status.ts';

/** Creates the headers of the response that opens a session, or reports that it could not be opened. */
export interface OpeningSession {
  opened(message: OutgoingMessage): OutgoingHttpHeaders;
  failed(): void;
}

export interface HttpExchangeOptions {
  readonly state: FrontState;
  readonly client: FrontClient;
  readonly response: ServerResponse;
  readonly accepted: Accepted;
  /** The message. */
  readonly body: Frame;
  /** Set for `initialize`. Its response carries the session id, so nothing is sent before it. */
  readonly opening?: OpeningSession | undefined;
}

/**
 * The response to one POST. It is JSON if nothing is sent before the response of the request, which is the common and
 * fast case. Otherwise it is an event stream.
 */
export class HttpExchange implements Exchange, Slotted {
  slot = 0;
  readonly #options: HttpExchangeOptions;
  #stream: EventStream | undefined;
  #isDone = false;
  #isClosed = false;
  /** Heartbeats since the request arrived, or since the client last read something of the response. */
  #age = 0;
  #unreadBytes = 0;

  constructor(options: HttpExchangeOptions) {
    this.#options = options;
    const { state, client, response } = options;
    state.exchanges.add(this);
    client.openRequests++;
    response.on('close', () => this.#closed());
  }

  get client(): FrontClient {
    return this.#options.client;
  }

  send(message: OutgoingMessage): void {
    if (this.#stream !== undefined && !this.#stream.isEnded) this.#stream.send(message);
    else if (this.#canStream) this.#openStream().send(message);
    else this.#options.client.send(message);
  }

  respond(message: OutgoingMessage | undefined) {
    if (this.#isDone) return;
    this.#isDone = true;
    const { client, response, accepted, opening, state } = this.#options;
    if (this.#stream !== undefined) return this.#endStream(message);
    if (this.#isClosed) return;
    if (message === undefined) return this.#respondNothing();
    if (!accepted.json) return this.#endStream(message);
    const headers = opening?.opened(message);
    const last = state.isDraining ? { ...headers, Connection: 'close' } : headers;
    writeJson(response, statusOf(message, client.era), message, last);
  }

  /** Ends the exchange of a client that was closed while the request was running. */
  refuse(): void {
    this.respond(undefined);
  }

  /**
   * Called at each heartbeat. A request that takes long becomes an event stream, whose heartbeats keep clients and
   * proxies from giving up. A response that the client does not read is cut off.
   */
  heartbeat(): void {
    const { limits } = this.#options.state;
    const { response } = this.#options;
    this.#age++;
    if (this.#stream === undefined && this.#canStream && this.#age > 1) this.#openStream().prime(response);
    if (!this.#isDone) return;
    const unreadBytes = response.writableLength;
    if (unreadBytes < this.#unreadBytes) this.#age = 0;
    this.#unreadBytes = unreadBytes;
    if (this.#age * limits.heartbeatMs > limits.stallTimeoutMs) response.destroy();
  }

  get #canStream(): boolean {
    const { accepted, opening } = this.#options;
    return !this.#isDone && !this.#isClosed && accepted.events && opening === undefined;
  }

  #openStream(): EventStream {
    if (this.#stream !== undefined) return this.#stream;
    const { client, response, state } = this.#options;
    const stream = client.openStream(idTextIn(this.#options.body));
    this.#stream = stream;
    state.streams.add(stream);
    response.writeHead(200, EVENT_STREAM_HEADERS);
    stream.attach(response);
    return stream;
  }

  #endStream(message: OutgoingMessage | undefined): void {
    this.#openStream().end(message);
  }

  /** For a notification, a response of the client, or a request that was cancelled. */
  #respondNothing() {
    const { client, response, opening, state } = this.#options;
    opening?.failed();
    if (client.closedBecause !== undefined) return sendRefusal(response, client.closedBecause);
    response.writeHead(202, state.isDraining ? LAST_WITHOUT_BODY : WITHOUT_BODY).end();
  }

  #closed(): void {
    this.#isClosed = true;
    const { client, response, opening, state } = this.#options;
    state.exchanges.delete(this);
    client.openRequests--;
    client.idleHeartbeats = 0;
    if (this.#stream !== undefined) {
      this.#stream.detach(response);
      if (!this.#stream.isAttached) state.streams.delete(this.#stream);
    }
    if (this.#isDone) return;
    opening?.failed();
    client.connection.abandon(this);
  }
}

const WITHOUT_BODY = { 'Content-Length': 0 };
const LAST_WITHOUT_BODY = { 'Content-Length': 0, Connection: 'close' };
