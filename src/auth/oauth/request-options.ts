import * as oauth from 'oauth4webapi';
import type { GuardedFetch } from '../../net/guarded-fetch.ts';
import type { OAuthClient } from './client-registration.ts';
import { parseJsonObject, throwIfBusy } from './response-body.ts';

/** Returns the options of every oauth4webapi request: our own fetch, which enforces the URL policy itself. */
export function requestOptions(
  fetch: GuardedFetch,
  signal?: AbortSignal,
): {
  [oauth.customFetch]: (url: string, options: oauth.CustomFetchOptions<'POST', URLSearchParams>) => Promise<Response>;
  [oauth.allowInsecureRequests]: true;
  signal?: AbortSignal;
} {
  return {
    [oauth.customFetch]: async (url, { method, headers, body, signal: given }) =>
      normalizeResponse(
        await fetch(url, { method, headers, body: String(body), ...(given === undefined ? {} : { signal: given }) }),
        url,
      ),
    [oauth.allowInsecureRequests]: true,
    ...(signal === undefined ? {} : { signal }),
  };
}

/** Returns the host that issues tokens, for messages. */
export function tokenHost(server: oauth.AuthorizationServer): string {
  return new URL(server.token_endpoint ?? server.issuer).host;
}

/** Returns how a client authenticates. */
export function clientAuth(client: OAuthClient): oauth.ClientAuth {
  const secret = client.clientSecret;
  if (secret === undefined || client.authMethod === 'none') return oauth.None();
  return client.authMethod === 'client_secret_post' ? oauth.ClientSecretPost(secret) : basicAuth(secret);
}

/**
 * Builds the Basic header. The library also escapes `-`, `_` and `.`, as RFC 6749 requires. Many servers do not decode
 * that, but all accept this form.
 */
function basicAuth(secret: string): oauth.ClientAuth {
  return (_server, { client_id: id }, _body, headers) => {
    const userAndPassword = `${encodeURIComponent(id)}:${encodeURIComponent(secret)}`;
    headers.set('authorization', `Basic ${Buffer.from(userAndPassword).toString('base64')}`);
  };
}

/**
 * Normalizes a response that deviates from the standards. An error gets an error status and the JSON content type, a
 * challenge header does not hide it, and null members are removed. ID tokens are not for us and are removed unread.
 */
async function normalizeResponse(response: Response, url: string): Promise<Response> {
  const { status } = response;
  throwIfBusy(status, url);
  const text = await response.text();
  const body = parseJsonObject(text);
  // The library itself reports a body that is not JSON.
  if (body === undefined)
    return new Response(text === '' ? null : text, { status, headers: contentTypeHeader(response) });
  const members = Object.entries(body).filter(([name, value]) => name !== 'id_token' && value !== null);
  const rest = Object.fromEntries(members);
  const isHiddenError = status < 400 && typeof rest['error'] === 'string' && rest['access_token'] === undefined;
  return Response.json(rest, { status: isHiddenError ? 400 : status });
}

function contentTypeHeader(response: Response): Record<string, string> {
  const type = response.headers.get('content-type');
  return type === null ? {} : { 'content-type': type };
}
