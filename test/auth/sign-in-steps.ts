import { afterEach } from 'vitest';
import { readChallenge } from '../../src/auth/discovery/challenge.ts';
import { type Discovery, discover } from '../../src/auth/discovery/discovery.ts';
import { type OAuthClient, obtainClient, type StoredClient } from '../../src/auth/oauth/client-registration.ts';
import type { Tokens } from '../../src/auth/oauth/token-requests.ts';
import { beginAuthorization, finishAuthorization } from '../../src/auth/sign-in/authorization.ts';
import { chooseScope } from '../../src/auth/sign-in/scope.ts';
import type { OAuthSettings } from '../../src/config/server-entry.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/net/guarded-fetch.ts';
import type { AuthorizationServer } from './authorization-server.ts';
import type { ProtectedServer } from './protected-server.ts';

/** Nothing listens there. The port is outside the range that the system gives to the servers of tests. */
export const REDIRECT = 'http://127.0.0.1:1023/callback/abc';
export const NO_CHALLENGE = readChallenge(undefined);

export const settingsOf = (given: Partial<OAuthSettings>): OAuthSettings => ({
  authorizationUrl: undefined,
  tokenUrl: undefined,
  registrationUrl: undefined,
  clientId: undefined,
  clientSecret: undefined,
  clientSecretEnv: undefined,
  scope: undefined,
  ...given,
});

/** Closes everything after each test. */
export function closing(): <T extends { close(): Promise<void> }>(opening: Promise<T>) => Promise<T> {
  const opened: { close(): Promise<void> }[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
  });
  return async (opening) => {
    const one = await opening;
    opened.push(one);
    return one;
  };
}

export interface SignedIn {
  readonly discovery: Discovery;
  readonly client: OAuthClient;
  readonly tokens: Tokens;
  readonly fetch: GuardedFetch;
  /** The authorization URL that was visited. */
  readonly asked: URL;
}

export interface SignInSteps {
  readonly server: ProtectedServer;
  readonly at: AuthorizationServer;
  readonly settings?: OAuthSettings;
  readonly stored?: StoredClient;
  readonly changeCallback?: (callback: URL) => void;
  readonly asked?: readonly string[];
}

/** Runs a sign-in step by step, with the authorization server's scripted browser. */
export async function signInBySteps(options: SignInSteps): Promise<SignedIn> {
  const { server, at, settings } = options;
  const fetch = createGuardedFetch({ configuredUrl: server.url, env: {} });
  const refused = await globalThis.fetch(server.url, { method: 'POST', body: '{}' });
  const challenge = readChallenge(refused.headers.get('www-authenticate') ?? undefined);
  const discovery = await discover(server.url, { challenge, settings, fetch });
  if (discovery === undefined) throw new Error('no OAuth was found');
  const scope = chooseScope({ challenge, settings, discovery, requested: options.asked });
  const client = await obtainClient({
    discovery,
    settings,
    stored: options.stored,
    redirectUri: REDIRECT,
    scope,
    metadataUrl: undefined,
    fetch,
  });
  const begun = { discovery, client, redirectUri: REDIRECT, scope, configuredUrl: server.url };
  const pending = await beginAuthorization(begun);
  const callback = await at.followRedirects(pending.url);
  options.changeCallback?.(callback);
  const tokens = await finishAuthorization({ discovery, client, pending, callback, fetch, now: () => 1_000_000 });
  return { discovery, client, tokens, fetch, asked: new URL(pending.url) };
}

/** Calls a tool as a client would; the text of its result, or the HTTP status. */
export async function callTool(server: ProtectedServer, name: string, accessToken: string): Promise<string | number> {
  const response = await globalThis.fetch(server.url, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } }),
  });
  if (!response.ok) return response.status;
  const { result } = (await response.json()) as { result: { content: { text: string }[] } };
  return result.content[0]?.text ?? '';
}
