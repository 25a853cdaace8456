import type { ClientRequest, IncomingMessage } from 'node:http';
import { AppError, isAppError, messageOf } from '../base/errors.ts';
import { toConnectionError } from './connection-error.ts';
import { decompress, decompressionFault } from './decompress.ts';
import { MAX_REDIRECTS, type Redirect, readRedirect } from './redirect-policy.ts';
import { checkUrl, redactUrl } from './url-policy.ts';

export interface GuardedFetchOptions {
  /**
   * The URL in the config. It allows two kinds of addresses that are not public: loopback if it is on loopback itself,
   * and its own host if that is in a private network.
   */
  readonly configuredUrl: string;
  /** Names the proxies: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY, in upper or lower case. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For one request with its redirects and its body. */
  readonly timeoutMs?: number;
  readonly maxBytes?: number;
}

interface GuardedFetchInit {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  readonly signal?: AbortSignal;
  /** For any method, also follows redirects that preserve the method (307, 308) and stay within the origin. */
  readonly followsWithinOrigin?: boolean;
}

/** The subset of `fetch` that OAuth needs. */
export type GuardedFetch = (url: string, init?: GuardedFetchInit) => Promise<Response>;

const TIMEOUT_MS = 15_000;
const MAX_BYTES = 1024 * 1024;

/**
 * Creates a fetch for untrusted URLs. It checks each URL before the request, each address that a name resolves to when
 * it connects, and each redirect like a new request. A GET follows at most three redirects, other methods none unless
 * `followsWithinOrigin` is set. It keeps no cookies, shares no connections, and limits the time and the response size.
 * Behind a proxy it can only check literal addresses, because the proxy resolves the names.
 *
 * @example
 * const fetch = createGuardedFetch({ configuredUrl: 'https://mcp.example.com/mcp', env: process.env });
 * const response = await fetch('https://mcp.example.com/.well-known/oauth-protected-resource/mcp');
 */
export function createGuardedFetch(options: GuardedFetchOptions): GuardedFetch {
  const timeoutMs = options.timeoutMs ?? TIMEOUT_MS;
  return async (url, init = {}) => {
    const timeout = AbortSignal.timeout(timeoutMs);
    const signal = init.signal === undefined ? timeout : AbortSignal.any([timeout, init.signal]);
    try {
      return await fetchFollowingRedirects(url, { ...init, signal }, options);
    } catch (error) {
      throw toFailure(error, { url, timeoutMs, timeout, callerSignal: init.signal });
    }
  };
}

async function fetchFollowingRedirects(
  first: string,
  init: GuardedFetchInit & { signal: AbortSignal },
  options: GuardedFetchOptions,
): Promise<Response> {
  // HTTP, TLS and DNS are loaded with the first request, because most processes never send one.
  const { sendGuarded } = await import('./guarded-request.ts');
  const { method = 'GET', followsWithinOrigin: canRepeatBody = false } = init;
  let url = checkUrl(first, options.configuredUrl);
  let headers = init.headers ?? {};
  for (let redirects = 0; ; redirects++) {
    const request = sendGuarded({ ...init, method, headers, url, ...options });
    const response = await receiveResponse(request, init.signal);
    const redirect = readRedirect(response, { url, method, redirects, canRepeatBody, canLeaveOrigin: true });
    if (redirect === undefined) return readResponse(response, url, options.maxBytes ?? MAX_BYTES);
    response.destroy();
    if (redirect.refusal !== undefined) throw refusedRedirect(url, method, redirect);
    const next = checkUrl(redirect.location, options.configuredUrl);
    if (next.origin !== url.origin) headers = withoutCredentials(headers);
    url = next;
  }
}

function receiveResponse(request: ClientRequest, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    request.once('response', resolve);
    request.on('error', (error) => reject(signal.aborted ? signal.reason : error));
  });
}

async function readResponse(response: IncomingMessage, url: URL, maxBytes: number): Promise<Response> {
  const status = response.statusCode ?? 0;
  if (status < 200 || status > 599)
    throw new AppError('BAD_ANSWER', `${url.host} returned HTTP status ${status}, which is not valid.`);
  const body = await readBody(response, url, maxBytes);
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(response.headersDistinct))
    if (!DROPPED_HEADERS.has(name)) for (const value of values) headers.append(name, value);
  const hasBody = ![204, 205, 304].includes(status);
  return new Response(hasBody ? body : null, { status, headers });
}

/** The last two describe the body as it was sent, possibly compressed. */
const DROPPED_HEADERS: ReadonlySet<string> = new Set(['set-cookie', 'content-encoding', 'content-length']);

async function readBody(response: IncomingMessage, url: URL, maxBytes: number): Promise<Buffer> {
  const pieces: Buffer[] = [];
  let bytes = 0;
  // If reading stops early, this also ends the response.
  for await (const piece of decompress(response) as AsyncIterable<Buffer>) {
    bytes += piece.length;
    if (bytes > maxBytes) {
      throw new AppError(
        'MESSAGE_TOO_LARGE',
        `${url.host} answered with more than ${maxBytes} bytes at ${url.pathname}.`,
      );
    }
    pieces.push(piece);
  }
  if (!response.complete) throw new Error('the response is incomplete');
  return Buffer.concat(pieces);
}

function withoutCredentials(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  const kept = Object.entries(headers).filter(([name]) => !/^(authorization|cookie|proxy-authorization)$/i.test(name));
  return Object.fromEntries(kept);
}

function refusedRedirect(url: URL, method: string, { location, refusal }: Redirect): AppError {
  const why =
    refusal === 'too-many'
      ? `it redirects more than ${MAX_REDIRECTS} times`
      : `it redirects a ${method} to ${redactUrl(location)}, which is not followed`;
  return new AppError('DENIED', `Rejected the response of ${url.host} at ${url.pathname}: ${why}.`);
}

interface FailureContext {
  readonly url: string;
  readonly timeoutMs: number;
  readonly timeout: AbortSignal;
  readonly callerSignal: AbortSignal | undefined;
}

function toFailure(error: unknown, { url, timeoutMs, timeout, callerSignal }: FailureContext): AppError {
  const host = URL.canParse(url) ? new URL(url).host : 'the server';
  const fault = isAppError(error) ? decompressionFault(error) : undefined;
  if (isAppError(error) && fault !== undefined)
    return new AppError(error.code, `${host}: its answer ${fault}.`, { data: { isUnreadable: true } });
  if (isAppError(error)) return error;
  if (callerSignal?.aborted === true)
    return new AppError('CANCELLED', `The request to ${host} was cancelled.`, { cause: error });
  if (timeout.aborted)
    return new AppError('TIMED_OUT', `${host} did not answer within ${timeoutMs / 1000} s.`, { cause: error });
  const { message } = toConnectionError(error instanceof Error ? error : new Error(messageOf(error)), host);
  // One code for all of them: each failure may be temporary, and sign-in and token refresh need not tell them apart.
  return new AppError('CONNECTION_CLOSED', `${message}.`, { cause: error });
}
