import type { ClientRequest, IncomingMessage, RequestOptions } from 'node:http';
import type { Credentials } from '../../../auth/credentials.ts';
import { AppError, messageOf, toAppError } from '../../../base/errors.ts';
import { VERSION } from '../../../base/version.ts';
import { type Outgoing, outgoingText } from '../../../wire/splice.ts';
import type { Agents } from './agents.ts';
import { connectionFailure, isUnheard } from './failures.ts';

export interface ExchangeOptions {
  readonly url: URL;
  readonly agents: Agents;
  /** Sent with every request: what the config says. */
  readonly headers: Readonly<Record<string, string>>;
  readonly credentials: Credentials | undefined;
}

export interface HttpRequest {
  readonly method: 'POST' | 'GET' | 'DELETE';
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Outgoing;
  /** Elsewhere at the same origin. */
  readonly path?: string | undefined;
}

export interface ResponseReceiver {
  /** It goes out now: for the first time, or again. */
  sending?(): void;
  /** Somebody is being asked who we are, which may take as long as a person needs. */
  signingIn?(): void;
  /** Every answer but those that are dealt with here: a refusal that signing in mends, a redirect within the origin. */
  response(response: IncomingMessage): void;
  /** Called at most once, and not after `response` unless its body breaks off. */
  failed(failure: ExchangeFailure): void;
}

export interface ExchangeFailure {
  readonly error: AppError;
  /** The server surely has not read the request. */
  readonly isUnheard: boolean;
  /** The server does not know us: no other request will fare better. */
  readonly isSignInNeeded: boolean;
}

/** One request and its answer, which may be given up. */
export interface Exchange {
  abort(): void;
}

export type BeginExchange = (request: HttpRequest, receiver: ResponseReceiver) => Exchange;

/** Sends requests to one origin, with its headers and credentials, and to no other. */
export function createExchange({ url, agents, headers: own, credentials }: ExchangeOptions): BeginExchange {
  const { hostname, port, protocol } = url;
  // What URL keeps in brackets is asked for without them.
  const host = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  const common: RequestOptions = { protocol, host, port, agent: agents.agent };
  // As a list they are written down as they are; Node adds nothing to it, not even the host.
  const fixed: readonly string[] = [
    'host',
    url.host,
    ...flatten({ 'user-agent': `switchboard/${VERSION}`, ...lowerCased(own) }),
  ];
  let usualPath = url.pathname + url.search;

  return (request, receiver) => {
    let current: ClientRequest | undefined;
    let isAborted = false;
    let redirects = 0;
    let refusals = 0;

    const fail = (error: AppError, facts: Partial<ExchangeFailure> = {}) => {
      if (!isAborted) receiver.failed({ error, isUnheard: false, isSignInNeeded: false, ...facts });
    };

    const send = (authorization: string | undefined, path = request.path ?? usualPath) => {
      if (isAborted) return;
      const headers = [...fixed, ...flatten(request.headers)];
      if (authorization !== undefined) headers.push('authorization', authorization);
      receiver.sending?.();
      try {
        const written = agents.isProxied ? toObject(headers) : headers;
        current = agents.request({ ...common, method: request.method, path, headers: written }, (response) => {
          const { statusCode = 0 } = response;
          if (statusCode < 300) return receiver.response(response);
          if (statusCode < 400) return redirect(response, authorization);
          if (credentials !== undefined && isRefusal(response)) return refused(response, authorization, credentials);
          receiver.response(response);
        });
        current.on('error', (error) => fail(connectionFailure(error, url.host), { isUnheard: isUnheard(error) }));
        write(current, request.body);
      } catch (error) {
        // A header that cannot be written. Whoever sends is told later, as of every other failure.
        const message = `This request cannot be sent to ${url.host}: ${messageOf(error)}`;
        process.nextTick(() => fail(new AppError('HTTP_FAILED', message, { cause: error }), { isUnheard: true }));
      }
    };

    const refused = (response: IncomingMessage, sent: string | undefined, asked: Credentials) => {
      response.resume();
      const { statusCode: status = 401, headers } = response;
      const isSignInNeeded = status === 401;
      if (++refusals > MAX_REFUSALS) {
        const error = new AppError('SIGN_IN_NEEDED', `${url.host} refuses every sign-in (HTTP ${status}).`);
        return fail(error, { isUnheard: true, isSignInNeeded });
      }
      receiver.signingIn?.();
      asked
        .refused({ status, challenge: headers['www-authenticate'], sent })
        .then(begin, (error: unknown) => fail(toAppError(error), { isUnheard: true, isSignInNeeded }));
    };

    const redirect = (response: IncomingMessage, authorization: string | undefined) => {
      response.resume();
      const { statusCode = 0, headers } = response;
      const target = toTarget(headers.location, url);
      const keepsMethod = statusCode === 307 || statusCode === 308 || request.method === 'GET';
      if (target === undefined || !keepsMethod || ++redirects > MAX_REDIRECTS) return receiver.response(response);
      // Nothing of ours goes to another origin: not the token, not the headers, not the call.
      if (target.origin !== url.origin) {
        const advice = `If that is right, put ${target.origin}${target.pathname} into the config`;
        return fail(
          new AppError('HTTP_FAILED', `${url.host} sends us to ${target.origin}, and we do not follow. ${advice}`),
          { isUnheard: true },
        );
      }
      if (statusCode === 308) usualPath = target.pathname + target.search;
      send(authorization, target.pathname + target.search);
    };

    const begin = () => {
      const authorization = credentials?.authorization();
      if (typeof authorization !== 'object') return send(authorization);
      authorization.then(
        (value) => send(value),
        (error: unknown) => fail(toAppError(error), { isUnheard: true, isSignInNeeded: true }),
      );
    };

    begin();
    return {
      abort() {
        isAborted = true;
        current?.destroy();
      },
    };
  };
}

const MAX_REDIRECTS = 3;
const MAX_REFUSALS = 3;

/** Who we are is not known, or not enough: another token may help. */
function isRefusal({ statusCode, headers }: IncomingMessage): boolean {
  if (statusCode === 401) return true;
  return statusCode === 403 && /insufficient_scope/.test(headers['www-authenticate'] ?? '');
}

function toTarget(location: string | undefined, base: URL): URL | undefined {
  return location !== undefined && URL.canParse(location, base.href) ? new URL(location, base) : undefined;
}

function lowerCased(headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** By the names of the headers: made once for each set, which is the same for all requests of a conversation. */
function flatten(headers: Readonly<Record<string, string>>): readonly string[] {
  const list: string[] = [];
  for (const name in headers) list.push(name, headers[name] ?? '');
  return list;
}

function toObject(list: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let at = 0; at < list.length; at += 2) headers[list[at] ?? ''] = list[at + 1] ?? '';
  return headers;
}

function write(request: ClientRequest, body: Outgoing | undefined): void {
  if (body === undefined) request.end();
  else if (typeof body === 'string') endWith(request, body);
  else if (body.bytes <= SMALL_BYTES) endWith(request, outgoingText(body));
  else {
    request.cork();
    for (const piece of body.pieces) request.write(piece);
    request.end();
  }
}

/** Up to here one write of a text is cheaper than several of its pieces. */
const SMALL_BYTES = 16 * 1024;

/** What is ASCII need not be encoded. */
function endWith(request: ClientRequest, text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about exactly these
  request.end(text, /^[\x00-\x7f]*$/.test(text) ? 'latin1' : 'utf8');
}
