import type { IncomingMessage } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../../base/errors.ts';
import { tryParseJson } from '../../../../base/text/is-json.ts';
import { type Frame, frameText } from '../../../../wire/frame.ts';
import type { OutgoingMessage } from '../../../../wire/json/splice.ts';
import { isObject, requestText } from '../../../../wire/messages.ts';
import type { SentRequest, TransportReceiver, UpstreamTransport } from '../../transport.ts';
import type { ExchangeFailure, StartExchange } from '../exchange/exchange.ts';
import type { Post, PostHandler, Rejection } from '../post-request.ts';
import { createPosts, type Posts } from '../posts.ts';
import { createOpenResponses, type OpenResponses, type ReadLimits } from '../response/open-responses.ts';
import type { StreamPosition } from '../response/read-events.ts';
import type { RpcErrorBody } from '../response/rpc-error.ts';
import { createUnauthorizedCalls, type UnauthorizedCalls } from '../unauthorized-calls.ts';
import { createUndeliveredRequests, isServerGone } from '../undelivered-requests.ts';
import { createInitializedGate } from './initialized-gate.ts';
import { openServerStreams, type ServerStreams } from './server-streams.ts';

export interface SessionOptions extends ReadLimits {
  /** Address shown to the user. */
  readonly where: string;
  readonly startExchange: StartExchange;
  readonly receiver: TransportReceiver;
  /** Called when the server rejects `initialize` with an error that only modern servers send. */
  readonly onModern?: (() => void) | undefined;
}

/**
 * Opens a legacy Streamable HTTP session: each of our messages is a POST, messages that the server initiates arrive
 * over a GET, and the server may identify us by a session id.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export function openSession(options: SessionOptions): UpstreamTransport {
  return new Session(options);
}

/** A transport that handles its own posts: `headers`, `frame`, `rejected`, `undelivered`, `interrupted`, `done`. */
class Session implements UpstreamTransport, PostHandler {
  readonly where: string;
  readonly #options: SessionOptions;
  readonly #posts: Posts;
  readonly #responses: OpenResponses;
  readonly #unauthorizedCalls: UnauthorizedCalls;
  #headers: Readonly<Record<string, string>> = {};
  #hasSession = false;
  #streams: ServerStreams | undefined;
  readonly #gate = createInitializedGate(() => this.#openStreams());
  readonly #undelivered = createUndeliveredRequests();
  /** Whether a request after `initialize` was successful. */
  #hasResponded = false;
  /** Why the session was lost. Set while the last responses arrive. */
  #lostReason: AppError | undefined;
  #isClosed = false;

  constructor(options: SessionOptions) {
    const { where, startExchange, receiver } = options;
    this.where = where;
    this.#options = options;
    this.#responses = createOpenResponses(options);
    this.#posts = createPosts({ where, startExchange, receiver, responses: this.#responses });
    this.#unauthorizedCalls = createUnauthorizedCalls({
      startExchange,
      listRequest: () => ({ headers: this.#headers, body: requestText('refused', 'tools/list', undefined) }),
      requestFailed: receiver.requestFailed,
      end: (error) => this.#end(error),
    });
  }

  nextSequence(): number {
    return this.#undelivered.nextSequence();
  }

  /** Over HTTP the number of sent bytes is unknown, so this is the same as `isUndelivered`. */
  isUnsent(sequence: number): boolean {
    return this.#undelivered.isUndelivered(sequence);
  }

  isUndelivered(sequence: number): boolean {
    return this.#undelivered.isUndelivered(sequence);
  }

  send(message: OutgoingMessage, request?: SentRequest) {
    if (this.#isClosed) return;
    if (request !== undefined) this.#undelivered.recordSent(request);
    // The server would reject it like the others. The next connection sends it again.
    if (this.#lostReason !== undefined) return this.#undelivered.recordUndelivered(request);
    const post: Post = { message, request, headers: this.#headers };
    if (!this.#gate.holdBack(post)) this.#posts.send(post, this);
  }

  forget(id: number): void {
    this.#undelivered.forget(id);
    this.#gate.forget(id);
    this.#posts.forget(id);
    this.#streams?.forget(id);
  }

  queuedBytes(): number {
    return this.#posts.queuedBytes;
  }

  pause(): void {
    this.#responses.pause();
  }

  resume(): void {
    this.#responses.resume();
  }

  stderrTail(): readonly string[] {
    return [];
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#gate.close();
    this.#streams?.close();
    this.#posts.close();
    if (this.#hasSession) await deleteSession(this.#options.startExchange, this.#headers);
  }

  headers({ request }: Post, { headers }: IncomingMessage): void {
    if (request === undefined) return;
    if (request.method !== 'initialize') {
      this.#hasResponded = true;
      return;
    }
    const id = headers['mcp-session-id'];
    if (typeof id !== 'string' || id === '') return;
    this.#hasSession = true;
    this.#headers = { ...this.#headers, 'mcp-session-id': id };
  }

  frame({ request }: Post, frame: Frame) {
    const { receiver } = this.#options;
    if (request?.method !== 'initialize') return receiver.frame(frame, request?.id);
    const version = readProtocolVersion(frame);
    if (version !== undefined) this.#headers = { ...this.#headers, 'mcp-protocol-version': version };
    receiver.frame(frame);
  }

  rejected(post: Post, { status, rpcError }: Rejection): boolean {
    if (post.request?.method === 'initialize') return this.#isModern(rpcError);
    if (!this.#hasSession) return false;
    const isLost = status === 404 || (status === 400 && this.#isUnknownSession(rpcError));
    if (!isLost && !MODERN_ERROR_CODES.has(rpcError?.code)) return false;
    this.#undelivered.recordUndelivered(post.request);
    this.#sessionLost();
    return true;
  }

  undelivered({ request }: Post, failure: ExchangeFailure): boolean {
    this.#undelivered.recordFailure(request, failure);
    // A failed `initialize` fails its own request.
    if (!isServerGone(failure) || request?.method === 'initialize') return false;
    if (!this.#unauthorizedCalls.handle(request, failure)) this.#end(failure.error);
    return true;
  }

  interrupted({ request }: Post, position: StreamPosition): boolean {
    if (request === undefined || position.lastEventId === undefined || this.#streams === undefined) return false;
    this.#streams.resumeResponse(request, position);
    return true;
  }

  done(post: Post): void {
    const { request } = post;
    this.#gate.done(post);
    if (request !== undefined && request.method !== 'initialize') this.#requestDone(request.id);
  }

  /** Opens the server streams once the server knows that we are ready, then sends the posts that were held back. */
  #openStreams(): void {
    if (this.#isClosed || this.#streams !== undefined) return;
    const { where, startExchange, receiver } = this.#options;
    this.#streams = openServerStreams({
      startExchange,
      receiver,
      headers: () => this.#headers,
      readEvents: this.#responses.readEvents,
      sessionLost: () => this.#sessionLost(),
      unreachable: (error) => this.#end(error),
      requestFailed: (id) =>
        receiver.requestFailed(id, new AppError('CONNECTION_CLOSED', `${where} ended its response early.`), 'unknown'),
      ready: () => {
        for (const post of this.#gate.open()) this.#posts.send(post, this);
      },
    });
  }

  #requestDone(id: number): void {
    this.#undelivered.forget(id);
    if (this.#lostReason !== undefined && this.#posts.size === 0) this.#end(this.#lostReason);
  }

  /** Ends a lost session after a short wait: pending requests may get the same error or still be answered. */
  #sessionLost(): void {
    this.#lostReason ??= new AppError('CONNECTION_CLOSED', `${this.where} no longer knows this session.`);
    const reason = this.#lostReason;
    setTimeout(() => this.#end(reason), SESSION_LOST_GRACE_MS).unref();
  }

  #isModern(rpcError: RpcErrorBody | undefined): boolean {
    const { onModern } = this.#options;
    if (onModern === undefined || !MODERN_ERROR_CODES.has(rpcError?.code)) return false;
    onModern();
    return true;
  }

  /**
   * Returns true if an error with status 400 means a lost session, as with some servers. Before the first
   * successful response, such an error has another reason.
   */
  #isUnknownSession(rpcError: RpcErrorBody | undefined): boolean {
    if (rpcError === undefined || rpcError.hasId || !this.#hasResponded) return false;
    return rpcError.code === -32_000 || rpcError.code === -32_001;
  }

  #end(reason: AppError): void {
    if (this.#isClosed) return;
    // There is no session left to delete.
    this.#hasSession = false;
    for (const { request } of this.#gate.held()) this.#undelivered.recordUndelivered(request);
    this.#options.receiver.end(reason);
  }
}

function deleteSession(startExchange: StartExchange, headers: Readonly<Record<string, string>>): Promise<void> {
  return new Promise((resolve) => {
    const exchange = startExchange(
      // Do not sign in only to delete a session.
      { method: 'DELETE', headers, skipsSignIn: true },
      {
        response: (response) => {
          response.resume();
          resolve();
        },
        failed: () => resolve(),
      },
    );
    void delay(DELETE_TIMEOUT_MS, undefined, { ref: false }).then(() => {
      exchange.abort();
      resolve();
    });
  });
}

const DELETE_TIMEOUT_MS = 1_000;
const SESSION_LOST_GRACE_MS = 500;
/** Errors that only modern servers send: a missing modern header, or an unsupported older version. */
const MODERN_ERROR_CODES: ReadonlySet<unknown> = new Set([-32_020, -32_022]);

function readProtocolVersion(frame: Frame): string | undefined {
  const message = tryParseJson(frameText(frame));
  const result = isObject(message) ? message['result'] : undefined;
  // The handshake reports what is wrong with the result.
  const version = isObject(result) ? result['protocolVersion'] : undefined;
  return typeof version === 'string' && /^[\w.-]{1,64}$/.test(version) ? version : undefined;
}
