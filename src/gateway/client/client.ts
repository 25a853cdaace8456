import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import type { CacheHints } from '../../upstream/catalog/cache-hints.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes, frameText } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { type OutgoingMessage, outgoingText } from '../../wire/json/splice.ts';
import { isNestedDeeper, MAX_DEPTH } from '../../wire/json-check/json-check.ts';
import { errorText, isObject, type JsonRpcMessage, notificationText } from '../../wire/messages.ts';
import { idTextOf, salvageIdText } from '../../wire/relay/id-text.ts';
import { readCall } from '../../wire/relay/read-call.ts';
import { createRelayPeer, type RelayPeer } from '../../wire/relay/relay-peer.ts';
import { receiveBatch } from '../../wire/rpc/batch.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { ForwardedServerRequest } from '../bridge/forwarded-server-request.ts';
import { ServerRequests } from '../bridge/server-requests.ts';
import type { ErrorStyle } from '../routing/error-response.ts';
import type { ForwardedRequest } from '../routing/forwarded-request.ts';
import type { Routing } from '../routing/routing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import { createListChangeTracker } from './list-change-tracker.ts';
import { DEFAULT_LIMITS, type ParserLimits, toParsable } from './parser-limits.ts';
import type { UnansweredRequest } from './unanswered-request.ts';
import { UnansweredRequests } from './unanswered-requests.ts';

export interface ClientOptions {
  /** Sends a message that relates to no exchange of the client. Must not throw. */
  readonly send: (message: OutgoingMessage) => void;
  readonly routing: Routing;
  readonly errorStyle: ErrorStyle;
  /** Set for an attached client, undefined for a client of all servers. */
  readonly attachment?: Attachment | undefined;
  /** What the client sees. Undefined shows everything. */
  readonly view?: GatewayView | undefined;
}

interface Attachment {
  /** The only server that the client can reach. */
  readonly upstream: Upstream;
  /** Closes the connection of the client. */
  readonly close: () => void;
}

/** A resource under its server's own URI. */
interface SubscribedResource {
  readonly upstream: Upstream;
  readonly uri: string;
}

const MAX_UNANSWERED_REQUESTS = 10_000;

/**
 * The state of one client: its capabilities, its unanswered requests and the server requests sent to it. No other
 * object holds state of a client.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #peer: RelayPeer<ForwardedServerRequest, Exchange>;
  /** The exchange of all messages of a client with one output, and of messages that relate to no exchange. */
  readonly #output: Exchange;
  readonly #unanswered = new UnansweredRequests();
  /** Requests of upstreams to this client. */
  readonly serverRequests: ServerRequests;
  readonly lists = createListChangeTracker();
  /** What the client sees. Undefined shows everything. */
  readonly view: GatewayView | undefined;
  #isInitialized = false;
  #isClosed = false;
  /** The capabilities declared in `initialize`. Undefined before that. */
  capabilities: Readonly<Record<string, unknown>> | undefined;
  /** Whether servers may answer a tool call of this client with a task that it did not ask for. */
  mayGetTasks = false;
  /** Whose tasks this client can reach. Clients without a connection of their own share it with their token. */
  taskOwner: string = crypto.randomUUID();
  /**
   * The token of the client, or the connection if it has none. A thread id names the same thread in all connections of
   * an owner.
   */
  owner: string = this.taskOwner;
  /** The `clientInfo` from `initialize`. */
  info: unknown;
  /** The profile that determines how tool definitions are written for this client. */
  profile: ProfileName = 'none';
  logLevel: string | undefined;
  /** Whether server requests can reach this client only on the exchange of one of its own requests. */
  needsCarrier = false;
  /** Whether `initialize` was answered before the only server was ready. The server's lists are announced later. */
  awaitsLists = false;
  /** The subscribed resources by the URI that the client used. */
  readonly subscriptions = new Map<string, SubscribedResource>();
  /** Called when the client has changed its log level or its subscriptions. */
  onSettings: () => void = () => {};
  /** Equal for clients that may share a process of a server. Undefined before `initialize`. */
  capabilityKey: string | undefined;
  /** Whether the client may use the processes that were told the capabilities of the first client. */
  sharesProcesses = true;
  /**
   * The processes that the client shares with clients of equal capabilities, instead of the shared ones. Set by the
   * pool.
   */
  ownProcesses: Map<GatewayServer, Upstream> | undefined;
  errorStyle: ErrorStyle;
  parserLimits: ParserLimits = DEFAULT_LIMITS;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.view = options.view;
    this.errorStyle = options.errorStyle;
    this.#output = {
      send: (message) => this.#send(message),
      respond: (message) => this.#send(message),
    };
    this.#peer = createRelayPeer<ForwardedServerRequest, Exchange>({
      request: (message, frame, exchange) => this.#request(message, frame, exchange),
      notification: (message, frame, exchange) => this.#notification(message, frame, exchange),
      responded: (exchange) => exchange.respond(undefined),
      invalidMessage: (error, frame, exchange) => this.reportError(error, frame, exchange),
      batch: (messages, text, exchange) => this.#batch(messages, text, exchange),
      expired: (_, request) => this.serverRequests.expired(request),
    });
    this.serverRequests = new ServerRequests({
      pending: this.#peer.pending,
      capabilities: () => this.capabilities,
      isReachable: (carrier) => !this.needsCarrier || (carrier !== undefined && this.#unanswered.has(carrier)),
      send: (message, carrier) => this.send(message, carrier),
    });
  }

  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  get isBusy(): boolean {
    return this.#unanswered.size > 0;
  }

  get unansweredCount(): number {
    return this.#unanswered.size;
  }

  /**
   * Handles one message. Its response, and everything that relates to it, goes to `exchange`. Most messages are tool
   * calls, which take a fast path. Never throws.
   */
  receive(frame: Frame, exchange: Exchange = this.#output) {
    if (this.#isClosed) return exchange.respond(undefined);
    const call = readCall(frame);
    if (call === undefined) return this.#peer.receive(frame, exchange);
    if (this.#rejectOverLimit(call.idText, exchange)) return;
    this.#options.routing.call(this, call, exchange);
  }

  /** Cancels the requests of an exchange whose client no longer waits. */
  abandon(exchange: Exchange): void {
    for (const request of this.#unanswered.of(exchange)) request.cancel('The client closed the stream.');
  }

  /**
   * Handles a request that the early responder has already answered. The request takes effect, but no response is sent.
   * If the tool list in `answer` was stale, the client gets `list_changed`.
   */
  receiveAlreadyAnswered(frame: Frame, answer: string): void {
    const message: unknown = JSON.parse(frameText(frame));
    if (!isObject(message)) return;
    this.#request(message, frame, {
      send: this.#output.send,
      respond: (response) => {
        if (message['method'] !== 'tools/list' || response === undefined || outgoingText(response) === answer) return;
        this.notify('notifications/tools/list_changed');
      },
    });
  }

  /**
   * Sends a notification or a request, on the exchange of `carrier` while that is unanswered. False if this client could
   * not parse it; it is then not sent.
   */
  send(message: OutgoingMessage, carrier?: UnansweredRequest): boolean {
    const readable = toParsable(message, this.parserLimits);
    if (readable === undefined) return false;
    if (carrier !== undefined && this.#unanswered.has(carrier)) carrier.exchange.send(readable);
    else this.#send(readable);
    return true;
  }

  setLogLevel(level: string): void {
    this.logLevel = level;
    this.onSettings();
  }

  /** Records the resource that the client is subscribed to under this URI, or that it is no longer subscribed. */
  setSubscription(clientUri: string, subscribed: SubscribedResource | undefined): void {
    if (subscribed === undefined) this.subscriptions.delete(clientUri);
    else this.subscriptions.set(clientUri, subscribed);
    this.onSettings();
  }

  /** Returns how long this client may cache a list of the gateway. Undefined if the list is forwarded from a server. */
  cacheHints(kind: ListKind): CacheHints | undefined {
    return this.#options.routing.cacheHints?.(this, kind);
  }

  /** Sends a notification, or queues it until the client is initialized. */
  notify(method: string, params?: unknown): void {
    this.serverRequests.notify(notificationText(method, params));
  }

  /** Responds to an invalid message with an error. */
  reportError(error: AppError, frame: Frame = [], exchange: Exchange = this.#output): void {
    exchange.respond(errorText(salvageIdText(frame), toJsonRpcError(error)));
  }

  /** Forwards a request of this client. From now on the client can cancel it by its id. */
  forward(forward: ForwardedRequest): void {
    this.#unanswered.add(forward);
    forward.upstream.call(forward);
  }

  /** Registers a request that is forwarded later or never, so that the client can cancel it. */
  addUnanswered(request: UnansweredRequest) {
    this.#unanswered.add(request);
  }

  removeUnanswered(request: UnansweredRequest) {
    this.#unanswered.remove(request);
  }

  /** Whether this client is attached to one server through the control socket. */
  get isAttached(): boolean {
    return this.#options.attachment !== undefined;
  }

  /** Whether the client talks to one server as if it were directly connected to it. */
  get seesOneServer(): boolean {
    return this.isAttached || this.view?.server !== undefined;
  }

  isAttachedTo(upstream: Upstream): boolean {
    return this.#options.attachment?.upstream === upstream;
  }

  /** Returns whether messages of this server that name no request may be for this client. */
  receivesFrom(upstream: Upstream): boolean {
    if (this.isAttached) return this.isAttachedTo(upstream);
    return this.view === undefined || this.view.showsServer(upstream.id);
  }

  /** Closes the connection of a client that is attached to this server. */
  closeIfAttachedTo(upstream: Upstream): void {
    const { attachment } = this.#options;
    if (attachment?.upstream === upstream) attachment.close();
  }

  /** Returns the only request of this client that the upstream handles. Undefined if there are none or several. */
  onlyRequestTo(upstream: Upstream): UnansweredRequest | undefined {
    return this.#unanswered.onlyTo(upstream);
  }

  /** Abandons the client's unanswered requests and rejects the server requests sent to it. */
  close(reason: AppError) {
    if (this.#isClosed) return;
    for (const request of this.#unanswered.all()) request.abandon(reason);
    this.#peer.pending.failAll(() => reason);
    this.serverRequests.close(reason);
    this.#isClosed = true;
  }

  #send(message: OutgoingMessage | undefined): void {
    if (message !== undefined && !this.#isClosed) this.#options.send(message);
  }

  #request(message: JsonRpcMessage, frame: Frame, exchange: Exchange) {
    const idText = idTextOf(message, frame);
    if (this.#rejectOverLimit(idText, exchange)) return;
    const { routing } = this.#options;
    try {
      if (isNestedDeeper(frame, MAX_DEPTH)) throw tooDeep(String(message.method));
      routing.request(this, { message, frame, idText, method: String(message.method), exchange });
    } catch (error) {
      exchange.respond(errorText(idText, toJsonRpcError(error)));
    }
  }

  #notification(message: JsonRpcMessage, frame: Frame, exchange: Exchange) {
    // A request with a null id cannot be answered. Forwarding it as a notification would make servers respond to it.
    if (message.id === null)
      return this.reportError(new AppError('INVALID_REQUEST', 'An id must be a string or a number.'), [], exchange);
    if (!isNestedDeeper(frame, MAX_DEPTH)) this.#handleNotification(message, frame);
    exchange.respond(undefined);
  }

  #handleNotification(message: JsonRpcMessage, frame: Frame) {
    switch (message.method) {
      // Early clients send it without the prefix.
      case 'notifications/initialized':
      case 'initialized':
        this.#isInitialized = true;
        return this.serverRequests.clientReady();
      case 'notifications/cancelled':
        return this.#cancelRequest(message, frame);
      case 'notifications/progress':
        return this.#peer.pending.progress(message.params, frame);
    }
    this.#options.routing.notification(this, message, frame);
  }

  #cancelRequest({ params }: JsonRpcMessage, frame: Frame): void {
    const requestId = rawMember(Buffer.from(rawMember(frameBytes(frame), 'params') ?? '{}'), 'requestId');
    const reason = isObject(params) && typeof params['reason'] === 'string' ? params['reason'] : 'cancelled';
    if (requestId !== undefined) this.#unanswered.find(requestId)?.cancel(reason);
  }

  #batch(messages: readonly unknown[], text: string, exchange: Exchange): void {
    receiveBatch(messages, text, {
      reply: (answer) => exchange.respond(answer),
      dispatch: (message, raw, reply) => {
        this.#peer.dispatch(message, [raw()], {
          send: (related) => exchange.send(related),
          respond: (answer) => reply(answer === undefined ? undefined : outgoingText(answer)),
        });
      },
    });
  }

  #rejectOverLimit(idText: string, exchange: Exchange): boolean {
    if (this.#unanswered.size < MAX_UNANSWERED_REQUESTS) return false;
    exchange.respond(
      errorText(idText, toJsonRpcError(new AppError('BUSY', 'Too many requests are pending. Try again in a moment.'))),
    );
    return true;
  }
}

function tooDeep(method: string): AppError {
  return new AppError('INVALID_REQUEST', `${method}: the request is nested deeper than ${MAX_DEPTH} levels.`);
}
