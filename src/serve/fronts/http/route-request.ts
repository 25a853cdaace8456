import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, isAppError } from '../../../base/errors.ts';
import type { HostCheck } from './allowed-hosts.ts';
import type { HttpEndpoint } from './endpoint.ts';
import { writeJson } from './json-response.ts';
import type { RequestHandler } from './post-request.ts';
import type { Access, Principal } from './principal.ts';
import { type Refusal, refuseWithoutToken, refuseWithStatus, sendRefusal } from './refusal.ts';
import { findRepeatedHeader } from './repeated-header.ts';

/** A page that needs no token, such as `/health`. It must not contain secrets. */
export type PublicPage = (query: URLSearchParams) => { readonly status: number; readonly body: unknown };

export interface Routes {
  /** The endpoints by path: `/mcp`. */
  readonly endpoints: ReadonlyMap<string, HttpEndpoint>;
  /**
   * Finds the endpoint of any other path. Called for every request, so it must be fast. Returns undefined if there is
   * none (404), and an error if this client may not use it (403).
   */
  readonly resolve?: (path: string, principal: Principal) => HttpEndpoint | AppError | undefined;
  /** Returns the reason why a client may not use any endpoint (403). Called for every request. */
  readonly refuse?: (principal: Principal) => AppError | undefined;
  readonly pages?: ReadonlyMap<string, PublicPage>;
}

export interface RouterOptions extends Routes {
  readonly access: Access;
  readonly checkHost: HostCheck;
  readonly post: RequestHandler;
  /** Handles every other method. */
  readonly other: RequestHandler;
}

/** Creates the listener of all requests: checks headers, host, origin, token and path, in this order. */
export function createRouter(options: RouterOptions): (request: IncomingMessage, response: ServerResponse) => void {
  const { endpoints, resolve, refuse, pages, access, checkHost, post, other } = options;

  const findEndpoint = (path: string, principal: Principal): HttpEndpoint | Refusal => {
    if (principal.role === 'read') return { status: 403, error: readOnlyToken(principal) };
    const refused = refuse?.(principal);
    if (refused !== undefined) return { status: 403, error: refused };
    const found = endpoints.get(path) ?? resolve?.(path, principal);
    if (found === undefined) return unknownPath(path, endpoints);
    return isAppError(found) ? { status: 403, error: found } : found;
  };

  return (request, response) => {
    const { headers, url = '/' } = request;
    const repeated = findRepeatedHeader(request);
    if (repeated !== undefined) return sendRefusal(response, repeatedHeader(repeated));
    const forbidden = checkHost(headers.host, headers.origin);
    if (forbidden !== undefined) return sendRefusal(response, { status: 403, error: forbidden });
    const queryAt = url.indexOf('?');
    const path = queryAt === -1 ? url : url.slice(0, queryAt);
    const page = pages?.get(path);
    if (page !== undefined) return sendPage(request, response, page);
    // Clients look here for a way to sign in before they have a token.
    if (path.startsWith('/.well-known/')) return sendRefusal(response, unknownPath(path, endpoints));
    const principal = access.authenticate(headers.authorization);
    if (principal === undefined) return sendRefusal(response, refuseWithoutToken(headers.authorization !== undefined));
    const endpoint = findEndpoint(path, principal);
    if ('status' in endpoint) return sendRefusal(response, endpoint);
    const handle = request.method === 'POST' ? post : other;
    handle(request, response, { endpoint, path, principal });
  };
}

function sendPage(request: IncomingMessage, response: ServerResponse, page: PublicPage) {
  if (request.method !== 'GET')
    return sendRefusal(response, refuseWithStatus(405, 'Only GET is possible here.', { Allow: 'GET' }));
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const { status, body } = page(searchParams);
  writeJson(response, status, JSON.stringify(body), { 'Cache-Control': 'no-store' });
}

function repeatedHeader(name: string): Refusal {
  return refuseWithStatus(400, `The request has more than one ${name} header. Send it once.`, { Connection: 'close' });
}

/** Every endpoint lets its clients call servers. */
function readOnlyToken({ name }: Principal): AppError {
  return new AppError('DENIED', `The token ${JSON.stringify(name)} has the role read, which may not call servers.`);
}

function unknownPath(path: string, endpoints: ReadonlyMap<string, HttpEndpoint>): Refusal {
  const known = [...endpoints.keys()].join(', ');
  return {
    status: 404,
    error: new AppError('INVALID_REQUEST', `There is nothing at ${path}. The endpoint is ${known}.`),
  };
}
