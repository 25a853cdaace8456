import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../../../base/errors.ts';
import { type Frame, frameText } from '../../../../wire/frame.ts';
import type { OutgoingMessage } from '../../../../wire/json/splice.ts';
import { isObject, requestText } from '../../../../wire/messages.ts';
import type { SentRequest, TransportReceiver, UpstreamTransport } from '../../transport.ts';
import type { BeginExchange, ExchangeFailure } from '../exchange/exchange.ts';
import { type Post, Posts } from '../posts.ts';
import {
  createOpenResponses,
  type OpenResponses,
  type ReadLimits,
  type StreamPosition,
} from '../response/open-responses.ts';
import type { RpcErrorBody } from '../response/rpc-error.ts';
import { createUnauthorizedCalls, type UnauthorizedCalls } from '../unauthorized-calls.ts';
import { createUndeliveredRequests } from '../undelivered-requests.ts';
import { openServerStreams, type ServerStreams } from './server-streams.ts';

export interface SessionOptions extends ReadLimits {
  /** What a person looks for: the address. */
  readonly where: string;
  readonly begin: BeginExchange;
  readonly receiver: TransportReceiver;
  /** The greeting was refused as only a modern server does it. */
  readonly onModern?: (() => void) | undefined;
}

/**
 * A conversation over Streamable HTTP in the legacy era: every message of ours is a POST, what the server says on its own
 * comes over a GET, and the server may know us by a session id.
 * https://modelcontextprotocol.io/specification/2025-11-25/basic/transports
 */
export function openSession(options: SessionOptions): UpstreamTransport {
  return new Session(options);
}

class Session implements UpstreamTransport {
  readonly where: string;
  readonly #options: SessionOptions;
  readonly #posts: Posts;
  readonly #responses: OpenResponses;
  readonly #refusals: UnauthorizedCalls;
  #headers: Readonly<Record<string, string>> = {};
  #hasSession = false;
  #listening: ServerStreams | undefined;
  /** Held back until the server knows that we are ready: requests on other connections would overtake the word. */
  #held: Post[] | undefined;
  #patience: NodeJS.Timeout | undefined;
  readonly #marks = createUndeliveredRequests();
  #answers = 0;
  /** Why the session is over, while the last answers come in. */
  #lost: AppError | undefined;
  #isOver = false;

  constructor(options: SessionOptions) {
    const { where, begin, receiver } = options;
    this.where = where;
    this.#options = options;
    this.#responses = createOpenResponses(options);
    this.#posts = new Posts({ where, begin, receiver, events: this, responses: this.#responses });
    this.#refusals = createUnauthorizedCalls({
      begin,
      listRequest: () => ({ headers: this.#headers, body: requestText('refused', 'tools/list', undefined) }),
      failed: receiver.failed,
      end: (error) => this.#end(error),
    });
  }

  mark(): number {
    return this.#marks.next();
  }

  /** Over HTTP nobody knows how much of a request has left us; what surely was not heard is told by `isUnheard`. */
  isUntouched(sequence: number): boolean {
    return this.#marks.isUnheard(sequence);
  }

  isUnheard(sequence: number): boolean {
    return this.#marks.isUnheard(sequence);
  }

  send(message: OutgoingMessage, request?: SentRequest) {
    if (this.#isOver) return;
    if (request !== undefined) this.#marks.sent(request);
    // It would be refused like the others: whoever asked is served by the next connection.
    if (this.#lost !== undefined) return this.#marks.unheard(request);
    const isQueued = this.#held !== undefined;
    const post = this.#post(message, request);
    if (isQueued) this.#held?.push(post);
    else this.#posts.send(post);
  }

  forget(id: number): void {
    this.#marks.forget(id);
    this.#held = this.#held?.filter(({ request }) => request?.id !== id);
    this.#posts.forget(id);
    this.#listening?.forget(id);
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

  lastWords(): readonly string[] {
    return [];
  }

  async close(): Promise<void> {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#patience);
    this.#listening?.close();
    this.#posts.close();
    if (this.#hasSession) await this.#sayGoodbye();
  }

  refused(
    post: Post,
    { status, rpcError }: { readonly status: number; readonly rpcError: RpcErrorBody | undefined },
  ): boolean {
    if (post.request?.method === 'initialize') return this.#isModern(rpcError);
    if (!this.#hasSession) return false;
    const isLost = status === 404 || (status === 400 && this.#isUnknownSession(rpcError));
    if (!isLost && !MODERN_ERROR_CODES.has(rpcError?.code)) return false;
    this.#marks.unheard(post.request);
    this.#lose();
    return true;
  }

  unheard({ request }: Post, failure: ExchangeFailure): boolean {
    const isGone = this.#marks.failed(request, failure);
    // A failed greeting is told as such.
    if (!isGone || request?.method === 'initialize') return false;
    if (!this.#refusals.take(request, failure)) this.#end(failure.error);
    return true;
  }

  cut({ request }: Post, position: StreamPosition): boolean {
    if (request === undefined || position.lastEventId === undefined || this.#listening === undefined) return false;
    this.#listening.goOn(request, position);
    return true;
  }

  #post(message: OutgoingMessage, request: SentRequest | undefined): Post {
    const common = { message, request, headers: this.#headers };
    if (request?.method === 'initialize') return this.#greeting(common);
    // The one notification that everything after it waits for. It is short, and nobody else's.
    if (request === undefined && this.#held === undefined && this.#listening === undefined && isInitialized(message)) {
      this.#held = [];
      // A server that leaves even this unanswered is spoken to all the same.
      this.#patience = setTimeout(() => this.#listen(), INITIALIZED_TIMEOUT_MS).unref();
      return { ...common, onDone: () => this.#listen() };
    }
    if (request === undefined) return common;
    return { ...common, onDone: () => this.#answered(request.id) };
  }

  #greeting(post: Post): Post {
    return {
      ...post,
      onHead: ({ headers }) => {
        const id = headers['mcp-session-id'];
        if (typeof id !== 'string' || id === '') return;
        this.#hasSession = true;
        this.#headers = { ...this.#headers, 'mcp-session-id': id };
      },
      deliver: (frame) => {
        const version = readProtocolVersion(frame);
        if (version !== undefined) this.#headers = { ...this.#headers, 'mcp-protocol-version': version };
        this.#options.receiver.frame(frame);
      },
    };
  }

  /** The server knows that we are ready: we listen to what it says on its own, and then send what waited for that. */
  #listen(): void {
    clearTimeout(this.#patience);
    if (this.#isOver || this.#listening !== undefined) return;
    const { where, begin, receiver } = this.#options;
    this.#listening = openServerStreams({
      begin,
      receiver,
      headers: () => this.#headers,
      read: this.#responses.readEvents,
      lost: () => this.#lose(),
      unreachable: (error) => this.#end(error),
      failed: (id) =>
        receiver.failed(id, new AppError('CONNECTION_CLOSED', `${where} ended its answer in the middle.`)),
      ready: () => this.#release(),
    });
  }

  #release(): void {
    const queued = this.#held ?? [];
    this.#held = undefined;
    for (const post of queued) this.#posts.send(post);
  }

  #answered(id: number): void {
    this.#answers++;
    this.#marks.forget(id);
    if (this.#lost !== undefined && this.#posts.size === 0) this.#end(this.#lost);
  }

  /** Those that are under way may be told the same, or may still be answered: for a moment they are waited for. */
  #lose(): void {
    this.#lost ??= new AppError('CONNECTION_CLOSED', `${this.where} no longer knows our session.`);
    const reason = this.#lost;
    setTimeout(() => this.#end(reason), SESSION_LOST_GRACE_MS).unref();
  }

  #isModern(rpcError: RpcErrorBody | undefined): boolean {
    const { onModern } = this.#options;
    if (onModern === undefined || !MODERN_ERROR_CODES.has(rpcError?.code)) return false;
    onModern();
    return true;
  }

  /** Some servers say so with another status; one that says so at once has another reason. */
  #isUnknownSession(rpcError: RpcErrorBody | undefined): boolean {
    if (rpcError === undefined || rpcError.hasId || this.#answers === 0) return false;
    return rpcError.code === -32_000 || rpcError.code === -32_001;
  }

  #end(reason: AppError): void {
    if (this.#isOver) return;
    // Nobody is left to say goodbye to.
    this.#hasSession = false;
    for (const { request } of this.#held ?? []) this.#marks.unheard(request);
    this.#options.receiver.end(reason);
  }

  async #sayGoodbye(): Promise<void> {
    const gone = new Promise<void>((resolve) => {
      const exchange = this.#options.begin(
        // Nobody signs in to say goodbye.
        { method: 'DELETE', headers: this.#headers, takesRefusal: true },
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
    await gone;
  }
}

const DELETE_TIMEOUT_MS = 1_000;
const SESSION_LOST_GRACE_MS = 500;
const INITIALIZED_TIMEOUT_MS = 5_000;
/** A header that only the modern era knows, or a version before it. */
const MODERN_ERROR_CODES: ReadonlySet<unknown> = new Set([-32_020, -32_022]);

function isInitialized(message: OutgoingMessage): boolean {
  return typeof message === 'string' && message.includes('"notifications/initialized"');
}

function readProtocolVersion(frame: Frame): string | undefined {
  try {
    const message: unknown = JSON.parse(frameText(frame));
    const result = isObject(message) ? message['result'] : undefined;
    const version = isObject(result) ? result['protocolVersion'] : undefined;
    return typeof version === 'string' && /^[\w.-]{1,64}$/.test(version) ? version : undefined;
  } catch {
    // Whoever waits for the greeting will say what is wrong with it.
    return undefined;
  }
}
