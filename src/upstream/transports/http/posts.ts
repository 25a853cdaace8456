import type { IncomingMessage } from 'node:http';
import { AppError, toAppError } from '../../../base/errors.ts';
import { decompressionFault } from '../../../net/decompress.ts';
import type { Frame } from '../../../wire/frame.ts';
import type { OutgoingMessage } from '../../../wire/json/splice.ts';
import type { SentRequest, TransportReceiver } from '../transport.ts';
import { drain } from './drain.ts';
import type { BeginExchange, Exchange, ExchangeFailure, ResponseReceiver } from './exchange/exchange.ts';
import { outgoingLength } from './exchange/write-body.ts';
import { readBodyStart } from './response/body.ts';
import { EVENT_STREAM, JSON_TYPE, mediaType } from './response/media-type.ts';
import type { OpenResponses, StreamPosition } from './response/open-responses.ts';
import { type RpcErrorBody, readRpcError, toErrorResponse, withId } from './response/rpc-error.ts';
import { readableText, toStatusError } from './response/status-error.ts';

/** One outgoing message in its own HTTP request. */
export interface Post {
  readonly message: OutgoingMessage;
  readonly headers: Readonly<Record<string, string>>;
  /** Undefined for a notification or a response, which gets no response itself. */
  readonly request: SentRequest | undefined;
  readonly path?: string | undefined;
  /** The HTTP response only acknowledges the message; its result arrives on another stream. */
  readonly respondsElsewhere?: boolean;
  /** Called with the response headers, before the body is read. */
  readonly onHeaders?: ((response: IncomingMessage) => void) | undefined;
  /** Receives each message of the response. Default: the receiver of the connection. */
  readonly deliver?: ((frame: Frame) => void) | undefined;
  /** Returns true while the server waits for input. The final response then arrives in another exchange. */
  readonly isAwaitingInput?: (() => boolean) | undefined;
  /** Called when the server rejects the message with this error code. Returns true if that is handled. */
  readonly onRejected?: ((code: unknown) => boolean) | undefined;
  /** Called when the exchange has completed or failed. */
  readonly onDone?: (() => void) | undefined;
}

/** Handlers for exceptional responses. */
export interface PostsEvents {
  /** Called for an HTTP error. `rpcError` is the error in its body, if any. Returns true if that is handled. */
  rejected(post: Post, refusal: { readonly status: number; readonly rpcError: RpcErrorBody | undefined }): boolean;
  /**
   * Called when the request never reached the server, or when it requires a sign-in. Returns true if that is handled.
   */
  undelivered(post: Post, failure: ExchangeFailure): boolean;
  /** Called when a response stream was interrupted. Returns true if it is resumed elsewhere. */
  interrupted(post: Post, position: StreamPosition): boolean;
}

export interface PostsOptions {
  readonly where: string;
  readonly begin: BeginExchange;
  readonly receiver: TransportReceiver;
  readonly events: PostsEvents;
  readonly responses: OpenResponses;
}

/** All messages being sent to one server, and the responses being read. */
export class Posts {
  readonly #options: PostsOptions;
  readonly #open = new Map<Post, Exchange>();
  #isClosed = false;
  #queuedBytes = 0;

  constructor(options: PostsOptions) {
    this.#options = options;
  }

  /** Number of open exchanges. */
  get size(): number {
    return this.#open.size;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  send(post: Post): void {
    if (this.#isClosed) return;
    const { message: body, headers, path, request } = post;
    const open = new OpenPost(this, post, outgoingLength(body));
    this.#queuedBytes += open.bytes;
    const isRepeatable = request?.isIdempotent ?? true;
    this.#open.set(
      post,
      this.#options.begin({ method: 'POST', headers, body, path, isIdempotent: isRepeatable }, open),
    );
  }

  /** Called when the server has received this many bytes. */
  released(bytes: number): void {
    this.#queuedBytes -= bytes;
  }

  /** Aborts the request, because its response is no longer needed. */
  forget(id: number): void {
    for (const post of this.#open.keys()) if (post.request?.id === id) this.#abort(post);
  }

  close(): void {
    this.#isClosed = true;
    for (const post of [...this.#open.keys()]) this.#abort(post);
  }

  #abort(post: Post): void {
    const exchange = this.#open.get(post);
    this.#finish(post);
    exchange?.abort();
  }

  #finish(post: Post): void {
    if (this.#open.delete(post)) post.onDone?.();
  }

  responseReceived(post: Post, response: IncomingMessage) {
    const { statusCode = 0 } = response;
    const type = mediaType(response);
    if (this.#isClosed) return drain(response);
    if (statusCode >= 300) return this.#rejected(post, response);
    post.onHeaders?.(response);
    if (post.request === undefined || post.respondsElsewhere === true) {
      drain(response);
      return this.#finish(post);
    }
    if (type === JSON_TYPE) return this.#readJson(post, response);
    if (type === EVENT_STREAM) return this.#readStream(post, response);
    this.#readUnexpected(post, response, type);
  }

  #readJson(post: Post, response: IncomingMessage): void {
    this.#options.responses.readBody(response, (body) => {
      if (!this.#open.has(post)) return;
      if ('error' in body) return this.#fail(post, this.#toBodyError(post, body.error));
      if (body.frame.length > 0) this.#deliver(post, withId(body.frame, post.request));
      this.#expectSettled(post);
    });
  }

  #deliver(post: Post, frame: Frame) {
    const { deliver, request } = post;
    if (deliver === undefined) return this.#options.receiver.frame(frame, request?.id);
    try {
      deliver(frame);
    } catch (error) {
      // An error caused by one server's message fails only this call.
      this.#fail(post, toAppError(error));
    }
  }

  #toBodyError({ request }: Post, error: AppError): AppError {
    const { where } = this.#options;
    const { code, data } = error;
    const fault = decompressionFault(error);
    if (fault !== undefined) return new AppError(code, `${where}: its answer to ${request?.method} ${fault}.`);
    const what =
      code === 'MESSAGE_TOO_LARGE'
        ? `${where} answered ${request?.method} with more than the limit of ${data?.['maxBytes']} bytes.`
        : `${where} ended its answer to ${request?.method} in the middle.`;
    return new AppError(code, what, data === undefined ? {} : { data });
  }

  /** Fails the post if the body was not a response to its request. */
  #expectSettled(post: Post): void {
    const isSettled = this.#isSettled(post);
    const { where } = this.#options;
    if (isSettled) this.#finish(post);
    else this.#fail(post, new AppError('BAD_ANSWER', `${where} answered ${post.request?.method} with something else.`));
  }

  #isSettled({ request, isAwaitingInput }: Post): boolean {
    return request === undefined || !this.#options.receiver.isPending(request.id) || isAwaitingInput?.() === true;
  }

  #readStream(post: Post, response: IncomingMessage): void {
    const { events, where, responses } = this.#options;
    const isAnswered = () => this.#isSettled(post);
    let timer: NodeJS.Timeout | undefined;
    const take = (frame: Frame) => {
      this.#deliver(post, frame);
      // A stream ends with its response. Do not wait for servers that leave it open.
      if (timer === undefined && isAnswered()) timer = setTimeout(() => this.#abort(post), LINGER_MS).unref();
    };
    responses.readEvents(response, take, (position, error) => {
      clearTimeout(timer);
      if (!this.#open.has(post)) return;
      if (isAnswered()) return this.#finish(post);
      if (error !== undefined)
        return this.#fail(post, decompressionFault(error) === undefined ? error : this.#toBodyError(post, error));
      if (events.interrupted(post, position)) return this.#finish(post);
      const what = `${where} ended its answer to ${post.request?.method} in the middle.`;
      this.#fail(post, new AppError('CONNECTION_CLOSED', what));
    });
  }

  #readUnexpected(post: Post, response: IncomingMessage, type: string): void {
    const { where, receiver } = this.#options;
    readBodyStart(response, (bodyStart) => {
      if (!this.#open.has(post)) return;
      const text = readableText(receiver.redact(bodyStart), type);
      const nothing = text === '' ? 'content' : 'a content type';
      const kind = type === '' ? `HTTP ${response.statusCode} without ${nothing}` : type;
      const said = text === '' ? '' : ` ("${text.trim()}")`;
      const message = `${where} answered ${post.request?.method} with ${kind}${said}: is this the address of an MCP server?`;
      this.#fail(post, new AppError('BAD_ANSWER', message));
    });
  }

  #rejected(post: Post, response: IncomingMessage): void {
    const { where, events, receiver } = this.#options;
    const { redact } = receiver;
    readBodyStart(response, (bodyStart) => {
      if (!this.#open.has(post)) return;
      const { statusCode: status = 0 } = response;
      const rpcError = readRpcError(bodyStart);
      const isHandled = post.onRejected?.(rpcError?.code) === true || events.rejected(post, { status, rpcError });
      if (isHandled || post.request === undefined) return this.#finish(post);
      if (rpcError === undefined)
        return this.#fail(post, toStatusError(response, { where, beginning: bodyStart, redact }));
      this.#finish(post);
      this.#deliver(post, toErrorResponse(rpcError, post.request));
    });
  }

  failed(post: Post, failure: ExchangeFailure) {
    if (!this.#open.has(post)) return;
    if (this.#options.events.undelivered(post, failure)) return this.#finish(post);
    this.#fail(post, failure.error);
  }

  #fail(post: Post, error: AppError): void {
    this.#finish(post);
    if (post.request !== undefined) this.#options.receiver.requestFailed(post.request.id, error);
  }
}

/** Receives the events of one exchange. A class, because there is one for every call. */
class OpenPost implements ResponseReceiver {
  readonly #posts: Posts;
  readonly #post: Post;
  bytes: number;

  constructor(posts: Posts, post: Post, bytes: number) {
    this.#posts = posts;
    this.#post = post;
    this.bytes = bytes;
  }

  response(response: IncomingMessage): void {
    this.#release();
    this.#posts.responseReceived(this.#post, response);
  }

  failed(failure: ExchangeFailure): void {
    this.#release();
    this.#posts.failed(this.#post, failure);
  }

  #release(): void {
    this.#posts.released(this.bytes);
    this.bytes = 0;
  }
}

const LINGER_MS = 1_000;
