import type { OAuthSettings, ServerEntry } from '../server-entry.ts';
import { createExpander, invalidEntry, missingVariable } from './entry-expander.ts';
import { lookUpVariable } from './server-environment.ts';

/** Everything needed to connect to an HTTP server, with all variables expanded. */
export interface ResolvedHttp {
  readonly url: string;
  /** Sent with every request. */
  readonly headers: Readonly<Record<string, string>>;
  /** Whether `headers` has `Authorization`: then the entry authenticates the user itself, and there is no sign-in. */
  readonly hasOwnAuthorization: boolean;
  readonly oauth: OAuthSettings | undefined;
  /** Whether the file declares the older HTTP with SSE. */
  readonly isSse: boolean;
}

export interface ResolveHttpOptions {
  readonly platform: NodeJS.Platform;
}

/**
 * Resolves an entry. Called for each connection, because variables may have changed. Throws if a variable is missing.
 */
export function resolveHttp(
  entry: ServerEntry,
  env: Readonly<Record<string, string | undefined>>,
  { platform }: ResolveHttpOptions,
): ResolvedHttp {
  const { transport } = entry;
  if (transport.kind !== 'http') throw invalidEntry(entry, 'is a stdio server and has no URL');
  const expand = createExpander(entry, env, platform);
  const variable = (name: string): string => {
    const value = lookUpVariable(env, name, platform);
    if (value === undefined || value === '') throw missingVariable(entry, name);
    return value;
  };
  const { bearerTokenEnv, oauth } = transport;
  const headers: Record<string, string> = {};
  const set = (name: string, value: string) => {
    if (/[\r\n\0]/.test(value)) throw invalidEntry(entry, `has a line break in the header ${name}`);
    if (INVALID_HEADER_VALUE.test(value))
      throw invalidEntry(entry, `has a character in the header ${name} that is not allowed there`);
    if (PROTOCOL_HEADERS.test(name))
      throw invalidEntry(entry, `sets the header ${name}, which is reserved for the protocol`);
    // If a header name occurs in two spellings, the later one wins.
    const same = Object.keys(headers).find((other) => other.toLowerCase() === name.toLowerCase());
    if (same !== undefined) delete headers[same];
    headers[name] = value;
  };
  for (const [name, value] of Object.entries(transport.headers)) set(name, expand(value, `headers.${name}`));
  for (const [name, from] of Object.entries(transport.headerEnv)) set(name, variable(from));
  if (bearerTokenEnv !== undefined) set('Authorization', `Bearer ${variable(bearerTokenEnv)}`);
  return {
    url: checkUrl(entry, expand(transport.url, 'url')),
    headers,
    hasOwnAuthorization: Object.keys(headers).some((name) => name.toLowerCase() === 'authorization'),
    oauth: oauth && resolveOAuth(oauth, { expand, variable }),
    isSse: transport.isSse,
  };
}

/** RFC 9110, section 5.5, as Node reads it. */
const INVALID_HEADER_VALUE = /[^\t\x20-\x7e\x80-\xff]/;

/** Headers that the transport itself sets. */
const PROTOCOL_HEADERS =
  /^(?:host|connection|content-(?:length|type|encoding)|transfer-encoding|accept|last-event-id|mcp-.*)$/i;

/** Validates the URL, which could not be checked before its variables were expanded. */
function checkUrl(entry: ServerEntry, written: string): string {
  const url = URL.canParse(written) ? new URL(written) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw invalidEntry(entry, 'has a url that does not begin with http:// or https://');
  if (url.username !== '' || url.password !== '')
    throw invalidEntry(entry, 'has a user name or password in its url: put them in headers.Authorization');
  url.hash = '';
  return url.href;
}

interface Expanders {
  readonly expand: (text: string, key: string) => string;
  readonly variable: (name: string) => string;
}

function resolveOAuth(oauth: OAuthSettings, { expand, variable }: Expanders): OAuthSettings {
  const { clientSecret, clientSecretEnv } = oauth;
  const fill = (text: string | undefined, key: string) =>
    text === undefined ? undefined : expand(text, `oauth.${key}`);
  return {
    ...oauth,
    authorizationUrl: fill(oauth.authorizationUrl, 'authorization_url'),
    tokenUrl: fill(oauth.tokenUrl, 'token_url'),
    registrationUrl: fill(oauth.registrationUrl, 'registration_url'),
    clientId: fill(oauth.clientId, 'client_id'),
    clientSecret: clientSecretEnv === undefined ? fill(clientSecret, 'client_secret') : variable(clientSecretEnv),
    scope: fill(oauth.scope, 'scope'),
  };
}
