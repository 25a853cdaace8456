import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { type Frame, frameBytes, frameText } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { type OutgoingMessage, outgoingText } from '../../wire/json/splice.ts';
import { isNestedDeeper, MAX_DEPTH } from '../../wire/json-check/json-check.ts';
import { errorText, isObject, type JsonRpcMessage, notificationText, type RequestId } from '../../wire/messages.ts';
import { idTextOf, salvageIdText } from '../../wire/relay/id-text.ts';
import { readCall } from '../../wire/relay/read-call.ts';
import { createRelayPeer, type RelayPeer } from '../../wire/relay/relay-peer.ts';
import { receiveBatch } from '../../wire/rpc/batch.ts';
import type { ForwardedServerRequest } from '../bridge/forwarded-server-request.ts';
import { ServerRequests } from '../bridge/server-requests.ts';
import type { ErrorStyle } from '../routing/error-response.ts';
import type { ForwardedRequest, Reply } from '../routing/forwarded-request.ts';
import type { Routing } from '../routing/routing.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { createListChangeTracker } from './list-change-tracker.ts';
import { DEFAULT_LIMITS, type ParserLimits, toParsable } from './parser-limits.ts';
import type { UnansweredRequest } from './unanswered-request.ts';
import { UnansweredRequests } from './unanswered-requests.ts';

export interface ClientOptions {
  /** Must not throw. */
  readonly send: (message: OutgoingMessage) => void;
  readonly routing: Routing;
  readonly errorStyle: ErrorStyle;
  /** Set for an attached client, undefined for a client of all servers. */
  readonly attachment?: Attachment | undefined;
}

interface Attachment {
  /** The only server that the client can reach. */
  readonly upstream: Upstream;
  /** Closes the connection of the client. */
  readonly close: () => void;
}

const MAX_UNANSWERED_REQUESTS = 10_000;

/**
 * The state of one client: its capabilities, its unanswered requests and the server requests sent to it. No other
 * object holds state of a client.
 */
export class Client {
  readonly #options: ClientOptions;
  readonly #peer: RelayPeer<ForwardedServerRequest>;
  readonly #unanswered = new UnansweredRequests();
  /** Requests of upstreams to this client. */
  readonly serverRequests: ServerRequests;
  readonly lists = createListChangeTracker();
  #isInitialized = false;
  #isClosed = false;
  /** The capabilities declared in `initialize`. Undefined before that. */
  capabilities: Readonly<Record<string, unknown>> | undefined;
  /** The `clientInfo` from `initialize`. */
  info: unknown;
  /** The profile that determines how tool definitions are written for this client. */
  profile: ProfileName = 'none';
  logLevel: string | undefined;
  /** Whether `initialize` was answered before the only server was ready. The server's lists are announced later. */
  awaitsLists = false;
  /** The subscribed resources by the URI that the client used. */
  readonly subscriptions = new Map<string, { readonly upstream: Upstream; readonly uri: string }>();
  /** Equal for clients that may share a process of a server. Undefined before `initialize`. */
  capabilityKey: string | undefined;
  /** Whether the client may use the processes that were told the capabilities of the first client. */
  sharesProcesses = true;
  /** The processes that serve this client instead of the shared ones. Set by the pool. */
  ownProcesses: Map<GatewayServer, Upstream> | undefined;
  errorStyle: ErrorStyle;
  parserLimits: ParserLimits = DEFAULT_LIMITS;

  constructor(options: ClientOptions) {
    this.#options = options;
    this.errorStyle = options.errorStyle;
    this.#peer = createRelayPeer({
      request: (message, frame) => this.#request(message, frame, this.#send),
      notification: (message, frame) => this.#notification(message, frame),
      invalidMessage: (error, frame) => this.reportError(error, frame),
      batch: (messages, text) => this.#batch(messages, text),
      expired: (id, request) => this.serverRequests.expired(id, request),
    });
    this.serverRequests = new ServerRequests({
      pending: this.#peer.pending,
      capabilities: () => this.capabilities,
      send: (message) => this.send(message),
    });
  }

  get isInitialized(): boolean {
    return this.#isInitialized;
  }

  get isBusy(): boolean {
    return this.#unanswered.size > 0;
  }

  /** Handles one message. Most messages are tool calls, which take a fast path. Never throws. */
  receive(frame: Frame) {
    if (this.#isClosed) return;
    const call = readCall(frame);
    if (call === undefined) return this.#peer.receive(frame);
    if (this.#rejectOverLimit(call.idText, this.#send)) return;
    this.#options.routing.call(this, call, this.#send);
  }

  /**
   * Handles a request that the early responder has already answered. The request takes effect, but no response is sent.
   * If the tool list in `answer` was stale, the client gets `list_changed`.
   */
  receiveAlreadyAnswered(frame: Frame, answer: string): void {
    const message: unknown = JSON.parse(frameText(frame));
    if (!isObject(message)) return;
    this.#request(message, frame, (response) => {
      const isStale = message['method'] === 'tools/list' && response !== undefined && outgoingText(response) !== answer;
      if (isStale) this.notify('notifications/tools/list_changed');
    });
  }

  /** Sends a notification or a request. False if this client could not parse it; it is then not sent. */
  send(message: OutgoingMessage): boolean {
    const readable = toParsable(message, this.parserLimits);
    if (readable !== undefined) this.#send(readable);
    return readable !== undefined;
  }

  /** Sends a notification, or queues it until the client is initialized. */
  notify(method: string, params?: unknown): void {
    this.serverRequests.notify(notificationText(method, params));
  }

  /** Responds to an invalid message with an error. */
  reportError(error: AppError, frame: Frame = []): void {
    this.#send(errorText(salvageIdText(frame), toJsonRpcError(error)));
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

  isAttachedTo(upstream: Upstream): boolean {
    return this.#options.attachment?.upstream === upstream;
  }

  /** Closes the connection of a client that is attached to this server. */
  closeIfAttachedTo(upstream: Upstream): void {
    const { attachment } = this.#options;
    if (attachment?.upstream === upstream) attachment.close();
  }

  /** Abandons the client's unanswered requests and rejects the server requests sent to it. */
  close(reason: AppError) {
    if (this.#isClosed) return;
    for (const request of this.#unanswered.all()) request.abandon(reason);
    this.#peer.pending.failAll(() => reason);
    this.serverRequests.close(reason);
    this.#isClosed = true;
  }

  readonly #send: Reply = (answer) => {
    if (answer !== undefined && !this.#isClosed) this.#options.send(answer);
  };

  #request(message: JsonRpcMessage, frame: Frame, reply: Reply) {
    const idText = idTextOf(message, frame);
    if (this.#rejectOverLimit(idText, reply)) return;
    const { routing } = this.#options;
    try {
      if (isNestedDeeper(frame, MAX_DEPTH)) throw tooDeep(String(message.method));
      routing.request(this, { message, frame, idText, method: String(message.method), reply });
    } catch (error) {
      reply(errorText(idText, toJsonRpcError(error)));
    }
  }

  #notification(message: JsonRpcMessage, frame: Frame) {
    // A request with a null id cannot be answered. Forwarding it as a notification would make servers respond to it.
    if (message.id === null)
      return this.reportError(new AppError('INVALID_REQUEST', 'An id must be a string or a number.'));
    if (isNestedDeeper(frame, MAX_DEPTH)) return;
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

  #batch(messages: readonly unknown[], text: string): void {
    receiveBatch(messages, text, {
      reply: (answer) => this.#send(answer),
      dispatch: (message, raw, reply) => {
        const frame = [raw()];
        const textReply: Reply = (answer) => reply(answer === undefined ? undefined : outgoingText(answer));
        if (isObject(message) && typeof message['method'] === 'string' && isId(message['id'])) {
          return this.#request(message, frame, textReply);
        }
        this.#peer.dispatch(message, frame);
        reply(undefined);
      },
    });
  }

  #rejectOverLimit(idText: string, reply: Reply): boolean {
    if (this.#unanswered.size < MAX_UNANSWERED_REQUESTS) return false;
    reply(
      errorText(idText, toJsonRpcError(new AppError('BUSY', 'Too many requests are pending. Try again in a moment.'))),
    );
    return true;
  }
}

function tooDeep(method: string): AppError {
  return new AppError('INVALID_REQUEST', `${method}: the request is nested deeper than ${MAX_DEPTH} levels.`);
}

function isId(id: unknown): id is RequestId {
  return typeof id === 'string' || typeof id === 'number';
}
