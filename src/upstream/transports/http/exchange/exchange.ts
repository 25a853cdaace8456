import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Credentials } from '../../../../auth/credentials/credentials.ts';
import { AppError, messageOf, toAppError } from '../../../../base/errors.ts';
import type { Agents } from '../../../../net/agents.ts';
import { isUndelivered, toConnectionError } from '../../../../net/connection-error.ts';
import { type Redirect, readRedirect } from '../../../../net/redirect-policy.ts';
import { type OutgoingMessage, outgoingLength } from '../../../../wire/json/splice.ts';
import { drain } from '../response/body.ts';
import { createHeaderList, type HeaderList, toHeaders } from './header-list.ts';
import { writeBody } from './write-body.ts';

export interface ExchangeOptions {
  readonly url: URL;
  readonly agents: Agents;
  /** Headers from the config, sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials | undefined;
}

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  /** Headers in addition to those of the method. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: OutgoingMessage;
  /** Processing the request twice does no harm. */
  readonly isSafeToResend?: boolean;
  /** Returns a 401 or 403 like any other response: no token refresh and no sign-in. */
  readonly skipsSignIn?: boolean;
  /** Another path on the same origin. */
  readonly path?: string | undefined;
}

export interface ResponseReceiver {
  /** Called before each attempt to send the request. */
  sending?(): void;
  /** Called when a token refresh or a sign-in starts, which may take as long as a person needs. */
  signingIn?(): void;
  /** Called with the response, except for a 401 that signing in resolves and a redirect within the origin. */
  response(response: IncomingMessage): void;
  /** Called at most once, and after `response` only if its body is interrupted. */
  failed(failure: ExchangeFailure): void;
}

export interface ExchangeFailure {
  readonly error: AppError;
  /** The server has not processed the request. */
  readonly isUndelivered: boolean;
  /** The server responded with 403: the token is valid, but lacks a scope that this request needs. */
  readonly isForbidden: boolean;
}

/** One request with its response, which can be aborted. */
export interface Exchange {
  abort(): void;
}

export type StartExchange = (request: HttpRequest, receiver: ResponseReceiver) => Exchange;

/** Creates a function that sends requests to one origin only, with its headers and credentials. */
export function createExchangeStarter(options: ExchangeOptions): StartExchange {
  const { url, agents, headers } = options;
  const { hostname, port, protocol } = url;
  // The `host` option takes an IPv6 address without the brackets that URL keeps.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const origin: Origin = {
    ...options,
    requestDefaults: { protocol, host, port, agent: agents.agent },
    headerList: createHeaderList(url.host, headers),
    currentPath: url.pathname + url.search,
  };
  return (request, receiver) => new OpenExchange(origin, request, receiver);
}

interface Origin extends ExchangeOptions {
  readonly requestDefaults: RequestOptions;
  readonly headerList: HeaderList;
  /** Changes after a permanent redirect. */
  currentPath: string;
}

class OpenExchange implements Exchange {
  readonly #origin: Origin;
  readonly #request: HttpRequest;
  readonly #receiver: ResponseReceiver;
  #current: ClientRequest | undefined;
  #isAborted = false;
  #hasResponse = false;
  #hasFailed = false;
  #redirects = 0;
  #authAttempts = 0;
  #retries = 0;

  constructor(origin: Origin, request: HttpRequest, receiver: ResponseReceiver) {
    this.#origin = origin;
    this.#request = request;
    this.#receiver = receiver;
    this.#authorize();
  }

  abort(): void {
    this.#isAborted = true;
    this.#current?.destroy();
  }

  #authorize() {
    const authorization = this.#origin.credentials?.authorization();
    if (typeof authorization !== 'object') return this.#send(authorization);
    authorization.then(
      (value) => this.#send(value),
      (error: unknown) => this.#fail(toAppError(error), { isUndelivered: true }),
    );
  }

  #send(authorization: string | undefined, path = this.#request.path ?? this.#origin.currentPath): void {
    if (this.#isAborted) return;
    const { agents, requestDefaults, headerList, url } = this.#origin;
    const { method, body } = this.#request;
    const list = [...headerList(method, this.#request.headers)];
    const bytes = body === undefined ? 0 : outgoingLength(body);
    if (body !== undefined) list.push('content-length', String(bytes));
    if (authorization !== undefined) list.push('authorization', authorization);
    const headers = agents.proxy === undefined ? list : toHeaders(list);
    this.#receiver.sending?.();
    // Reset for this attempt: an earlier one may have ended in a redirect.
    this.#hasResponse = false;
    try {
      const current = agents.request({ ...requestDefaults, method, path, headers });
      this.#current = current;
      current.on('response', (response) => this.#responseReceived(response, authorization));
      current.on('error', (error) => this.#connectionFailed(current, error, authorization));
      current.on('close', () => this.#closedWithoutResponse(current));
      writeBody(current, body, bytes);
    } catch (error) {
      // A header is invalid. Report it asynchronously, like every other failure.
      const message = `This request cannot be sent to ${url.host}: ${messageOf(error)}`;
      process.nextTick(() =>
        this.#fail(new AppError('HTTP_FAILED', message, { cause: error }), { isUndelivered: true }),
      );
    }
  }

  #responseReceived(response: IncomingMessage, authorization: string | undefined) {
    const { statusCode = 0 } = response;
    const { credentials } = this.#origin;
    this.#hasResponse = true;
    const redirect = statusCode < 300 ? undefined : this.#readRedirect(response);
    if (redirect !== undefined) return this.#redirect(response, redirect, authorization);
    const canSignIn = credentials !== undefined && this.#request.skipsSignIn !== true;
    if (canSignIn && isUnauthorized(response)) return this.#unauthorized(response, authorization, credentials);
    this.#receiver.response(response);
  }

  /** Handles a connection error. The server may close an idle connection at the moment we reuse it. */
  #connectionFailed(failed: ClientRequest, error: NodeJS.ErrnoException, authorization: string | undefined) {
    // The server responded before it had read the whole request. Its response counts, and its body ends by itself.
    if (this.#isSettled(failed)) return;
    const isCut = error.code === 'ECONNRESET' || error.code === 'EPIPE';
    const isStale = isCut && failed.reusedSocket;
    // A request that was not fully written was not fully read.
    const canResend = this.#request.isSafeToResend === true || error.syscall === 'write';
    if (isStale && canResend && ++this.#retries <= MAX_RETRIES) return this.#send(authorization);
    const { url, agents } = this.#origin;
    const where = agents.proxy === undefined ? url.host : `${url.host}, through the proxy ${agents.proxy}`;
    this.#fail(toConnectionError(error, where), { isUndelivered: isUndelivered(error) });
  }

  /** Fails a request whose connection closed without a response or an error: another protocol, or an interruption. */
  #closedWithoutResponse(closed: ClientRequest): void {
    if (this.#isSettled(closed) || this.#hasFailed) return;
    this.#fail(
      new AppError('CONNECTION_CLOSED', `${this.#origin.url.host} closed the connection without a response.`),
      {},
    );
  }

  /** Returns true if this attempt has a response or was repeated. Its connection may still break after that. */
  #isSettled(attempt: ClientRequest): boolean {
    return attempt !== this.#current || this.#hasResponse;
  }

  #unauthorized(response: IncomingMessage, sent: string | undefined, credentials: Credentials) {
    drain(response);
    const { statusCode: status = 401, headers } = response;
    const fail = (error: AppError) => this.#fail(error, { isUndelivered: true, isForbidden: status === 403 });
    if (++this.#authAttempts > MAX_AUTH_ATTEMPTS) {
      const { host } = this.#origin.url;
      return fail(new AppError('SIGN_IN_NEEDED', `${host} rejects every sign-in (HTTP ${status}).`));
    }
    this.#receiver.signingIn?.();
    credentials.handleRejection({ status, challenge: headers['www-authenticate'], sent }).then(
      () => this.#authorize(),
      (error: unknown) => fail(toAppError(error)),
    );
  }

  #readRedirect(response: IncomingMessage): Redirect | undefined {
    const { url } = this.#origin;
    const { method } = this.#request;
    const redirects = this.#redirects;
    return readRedirect(response, { url, method, redirects, canRepeatBody: true, canLeaveOrigin: false });
  }

  #redirect(response: IncomingMessage, { target, refusal }: Redirect, authorization: string | undefined) {
    const { url } = this.#origin;
    const { statusCode = 0 } = response;
    if (target === undefined) return this.#receiver.response(response);
    drain(response);
    if (refusal === 'too-many') {
      const message = `${url.host} redirects in a loop (HTTP ${statusCode}).`;
      return this.#fail(new AppError('HTTP_FAILED', message), { isUndelivered: true });
    }
    // Send nothing to another origin: no token, no headers, no call.
    if (refusal !== undefined) {
      const advice = `If this is intended, put ${target.origin}${target.pathname} into the config`;
      const message = `${url.host} redirects to ${target.origin} (HTTP ${statusCode}), which Switchboard does not follow. ${advice}`;
      return this.#fail(new AppError('HTTP_FAILED', message), { isUndelivered: true });
    }
    this.#redirects++;
    const path = target.pathname + target.search;
    if (statusCode === 308) this.#origin.currentPath = path;
    this.#send(authorization, path);
  }

  #fail(error: AppError, facts: Partial<ExchangeFailure>): void {
    if (this.#isAborted || this.#hasFailed) return;
    this.#hasFailed = true;
    this.#receiver.failed({ error, isUndelivered: false, isForbidden: false, ...facts });
  }
}

const MAX_RETRIES = 3;
const MAX_AUTH_ATTEMPTS = 3;

/** Returns true if another token may help: the request was not authenticated, or its scope is insufficient. */
function isUnauthorized({ statusCode, headers }: IncomingMessage): boolean {
  if (statusCode === 401) return true;
  return statusCode === 403 && /insufficient_scope/.test(headers['www-authenticate'] ?? '');
}
