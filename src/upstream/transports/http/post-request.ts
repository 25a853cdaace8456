import type { IncomingMessage } from 'node:http';
import { AppError, toAppError } from '../../../base/errors.ts';
import { decompressionFault } from '../../../net/decompress.ts';
import type { Frame } from '../../../wire/frame.ts';
import { type OutgoingMessage, outgoingLength } from '../../../wire/json/splice.ts';
import type { SentRequest, TransportReceiver } from '../transport.ts';
import type { Exchange, ExchangeFailure, ResponseReceiver, StartExchange } from './exchange/exchange.ts';
import { drain, readBodyStart } from './response/body.ts';
import { EVENT_STREAM, JSON_TYPE, mediaType } from './response/media-type.ts';
import type { OpenResponses } from './response/open-responses.ts';
import type { StreamPosition } from './response/read-events.ts';
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
}

/** Receives what becomes of a post. */
export interface PostHandler {
  /** Called with the headers of a successful response, before its body is read. */
  headers?(post: Post, response: IncomingMessage): void;
  /** Called with each message of the response. */
  frame(post: Post, frame: Frame): void;
  /** Called for an HTTP error. Returns true if that is handled. */
  rejected(post: Post, rejection: Rejection): boolean;
  /**
   * Called when the request never reached the server, or when it requires a sign-in. Returns true if that is handled.
   */
  undelivered(post: Post, failure: ExchangeFailure): boolean;
  /** Called when a response stream was interrupted. Returns true if it is resumed elsewhere. */
  interrupted(post: Post, position: StreamPosition): boolean;
  /** Returns true while the server waits for input. The final response then arrives in another exchange. */
  isAwaitingInput?(): boolean;
  /** Called once, when the exchange has completed, failed or was aborted. */
  done(post: Post): void;
}

export interface Rejection {
  readonly status: number;
  /** The JSON-RPC error in the body, if any. */
  readonly rpcError: RpcErrorBody | undefined;
}

/** What all posts to one server share. */
export interface PostContext {
  readonly where: string;
  readonly receiver: TransportReceiver;
  readonly responses: OpenResponses;
  /** Called when these bytes of a message no longer wait for the server. */
  released(bytes: number): void;
  closed(request: PostRequest): void;
}

/**
 * Sends one post and reads its response. Messages go to the handler; a request that gets no response fails at the
 * receiver of the connection. A class, because there is one for every call.
 */
export class PostRequest implements ResponseReceiver {
  readonly post: Post;
  readonly #handler: PostHandler;
  readonly #context: PostContext;
  #exchange: Exchange | undefined;
  #isOpen = true;
  #queuedBytes: number;

  constructor(post: Post, handler: PostHandler, context: PostContext) {
    this.post = post;
    this.#handler = handler;
    this.#context = context;
    this.#queuedBytes = outgoingLength(post.message);
  }

  /** Sends the post and returns its size. */
  send(startExchange: StartExchange): number {
    const { message: body, headers, path, request } = this.post;
    const bytes = this.#queuedBytes;
    this.#exchange = startExchange(
      { method: 'POST', headers, body, path, isSafeToResend: request?.isSafeToResend ?? true },
      this,
    );
    return bytes;
  }

  /** Ends the exchange, because its response is no longer needed. */
  abort(): void {
    this.#finish();
    this.#exchange?.abort();
  }

  response(response: IncomingMessage) {
    this.#release();
    if (!this.#isOpen) return drain(response);
    const { post } = this;
    if ((response.statusCode ?? 0) >= 300) return this.#readRejection(response);
    this.#handler.headers?.(post, response);
    if (post.request === undefined || post.respondsElsewhere === true) {
      drain(response);
      return this.#finish();
    }
    const type = mediaType(response);
    if (type === JSON_TYPE) return this.#readJson(response);
    if (type === EVENT_STREAM) return this.#readStream(response);
    this.#readUnexpected(response, type);
  }

  failed(failure: ExchangeFailure) {
    this.#release();
    if (!this.#isOpen) return;
    if (this.#handler.undelivered(this.post, failure)) return this.#finish();
    if (failure.isUndelivered) this.#fail(failure.error);
    else this.#lose(failure.error);
  }

  #readJson(response: IncomingMessage): void {
    this.#context.responses.readBody(response, (body) => {
      if (!this.#isOpen) return;
      if ('error' in body) return this.#failBody(body.error);
      if (body.frame.length > 0) this.#deliver(withId(body.frame, this.post.request));
      if (this.#isSettled()) return this.#finish();
      // The body was not a response to the request.
      const { where } = this.#context;
      this.#fail(
        new AppError('BAD_ANSWER', `${where} answered ${this.#method} with something other than its response.`),
      );
    });
  }

  #readStream(response: IncomingMessage): void {
    const { where, responses } = this.#context;
    let timer: NodeJS.Timeout | undefined;
    const take = (frame: Frame) => {
      this.#deliver(frame);
      // A stream ends with its response. Do not wait for servers that leave it open.
      if (timer === undefined && this.#isSettled()) timer = setTimeout(() => this.abort(), LINGER_MS).unref();
    };
    responses.readEvents(response, take, (position, error) => {
      clearTimeout(timer);
      if (!this.#isOpen) return;
      if (this.#isSettled()) return this.#finish();
      if (error !== undefined)
        return this.#fail(decompressionFault(error) === undefined ? error : this.#toBodyError(error));
      if (this.#handler.interrupted(this.post, position)) return this.#finish();
      this.#lose(new AppError('CONNECTION_CLOSED', `${where} ended its response to ${this.#method} early.`));
    });
  }

  #readUnexpected(response: IncomingMessage, type: string): void {
    const { where, receiver } = this.#context;
    readBodyStart(response, (bodyStart) => {
      if (!this.#isOpen) return;
      const text = readableText(receiver.redact(bodyStart), type);
      const nothing = text === '' ? 'content' : 'a content type';
      const kind = type === '' ? `HTTP ${response.statusCode} without ${nothing}` : type;
      const excerpt = text === '' ? '' : ` ("${text.trim()}")`;
      const message = `${where} answered ${this.#method} with ${kind}${excerpt}: is this the URL of an MCP server?`;
      this.#fail(new AppError('BAD_ANSWER', message));
    });
  }

  #readRejection(response: IncomingMessage): void {
    const { where, receiver } = this.#context;
    readBodyStart(response, (bodyStart) => {
      if (!this.#isOpen) return;
      const { request } = this.post;
      const rpcError = readRpcError(bodyStart);
      const isHandled = this.#handler.rejected(this.post, { status: response.statusCode ?? 0, rpcError });
      if (isHandled || request === undefined) return this.#finish();
      if (rpcError === undefined) {
        const error = toStatusError(response, { where, beginning: bodyStart, redact: receiver.redact });
        return LOST_STATUSES.has(response.statusCode ?? 0) ? this.#lose(error) : this.#fail(error);
      }
      this.#finish();
      this.#deliver(toErrorResponse(rpcError, request));
    });
  }

  #deliver(frame: Frame): void {
    try {
      this.#handler.frame(this.post, frame);
    } catch (error) {
      // An error caused by one server's message fails only this call.
      this.#fail(toAppError(error));
    }
  }

  /** A response that is cut off is lost. One that is too large or cannot be decompressed has arrived. */
  #failBody(error: AppError): void {
    const described = this.#toBodyError(error);
    if (error.code === 'CONNECTION_CLOSED' && decompressionFault(error) === undefined) this.#lose(described);
    else this.#fail(described);
  }

  #toBodyError(error: AppError): AppError {
    const { where } = this.#context;
    const { code, data } = error;
    const fault = decompressionFault(error);
    if (fault !== undefined) return new AppError(code, `${where}: its response to ${this.#method} ${fault}.`);
    const what =
      code === 'MESSAGE_TOO_LARGE'
        ? `${where} answered ${this.#method} with more than the limit of ${data?.['maxBytes']} bytes.`
        : `${where} ended its response to ${this.#method} early.`;
    return new AppError(code, what, data === undefined ? {} : { data });
  }

  get #method(): string | undefined {
    return this.post.request?.method;
  }

  #isSettled(): boolean {
    const { request } = this.post;
    if (request === undefined || !this.#context.receiver.isPending(request.id)) return true;
    return this.#handler.isAwaitingInput?.() === true;
  }

  #fail(error: AppError): void {
    const { request } = this.post;
    this.#finish();
    if (request !== undefined) this.#context.receiver.requestFailed(request.id, error);
  }

  #lose(error: AppError): void {
    const { request } = this.post;
    this.#finish();
    if (request !== undefined) this.#context.receiver.requestFailed(request.id, error, 'unknown');
  }

  #finish(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#release();
    this.#context.closed(this);
    this.#handler.done(this.post);
  }

  #release(): void {
    this.#context.released(this.#queuedBytes);
    this.#queuedBytes = 0;
  }
}

const LINGER_MS = 1_000;
/** Statuses of a proxy that has passed the request on and got no response. */
const LOST_STATUSES: ReadonlySet<number> = new Set([502, 504]);
