import type { IncomingMessage } from 'node:http';

export const MAX_REDIRECTS = 3;

export interface RedirectedRequest {
  readonly url: URL;
  readonly method: string;
  /** Redirects that were followed before. */
  readonly redirects: number;
  /** Sends other methods than GET again, if the status preserves the method and the redirect stays within the origin. */
  readonly canRepeatBody: boolean;
  /** Follows a GET to other origins. The caller checks the target and sends no credentials there. */
  readonly canLeaveOrigin: boolean;
}

export interface Redirect {
  /** The header as received, or the whole URL if it is one. */
  readonly location: string;
  /** Undefined if the header is not a URL. */
  readonly target: URL | undefined;
  /** Why the redirect must not be followed. */
  readonly refusal: 'not-followed' | 'too-many' | undefined;
}

/** Decides about a redirect; returns undefined for any other response. */
export function readRedirect(response: IncomingMessage, request: RedirectedRequest): Redirect | undefined {
  const { statusCode = 0, headers } = response;
  const { url, method, redirects } = request;
  const { location } = headers;
  if (!REDIRECT_STATUSES.has(statusCode) || location === undefined) return undefined;
  const target = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
  const isGet = method === 'GET';
  const keepsOrigin = target?.origin === url.origin;
  const keepsMethod = isGet || (request.canRepeatBody && METHOD_PRESERVING_STATUSES.has(statusCode));
  const mayFollow = keepsMethod && (keepsOrigin || (isGet && request.canLeaveOrigin));
  const refusal = mayFollow ? (redirects < MAX_REDIRECTS ? undefined : 'too-many') : 'not-followed';
  return { location: target?.href ?? location, target, refusal };
}

const REDIRECT_STATUSES: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);
const METHOD_PRESERVING_STATUSES: ReadonlySet<number> = new Set([307, 308]);
