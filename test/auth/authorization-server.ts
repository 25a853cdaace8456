import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { type Interaction, Provider, type StoredToken } from 'oidc-provider';
import { createMemoryAdapter } from './memory-adapter.ts';
import { approveOnPages, followToCallback } from './scripted-browser.ts';

/**
 * A real authorization server (oidc-provider) on loopback that approves everything: a plain GET of an authorization
 * URL that follows redirects ends at the callback, without cookies and without a page to click on.
 *
 * @example
 * const server = await openAuthorizationServer({ accessTokenSeconds: 2 });
 * const callback = await server.followRedirects(authorizationUrl);
 * await server.close();
 */
export async function openAuthorizationServer(options: AuthorizationServerOptions = {}): Promise<AuthorizationServer> {
  const http = createServer((request, response) => void answer(request, response));
  http.listen(options.port ?? 0, '127.0.0.1');
  await once(http, 'listening');
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`;
  const tokens = createMemoryAdapter({ reuseSeconds: options.refreshReuseSeconds ?? 0 });
  const provider = new Provider(issuer, configurationOf(options, tokens.Adapter));
  const requests: Record<string, number> = {};
  const state: State = { account: options.account ?? 'alice', isDown: false };
  countRequests(provider, requests);
  provider.use(async (context, next) => {
    await next();
    const interval = options.deviceIntervalSeconds;
    if (interval !== undefined && context.oidc?.route === 'device_authorization' && context.status === 200)
      context.body = { ...(context.body as object), interval };
  });
  provider.use(async (context, next) => {
    await next();
    const isRefresh = context.oidc?.route === 'token' && context.oidc.params?.['grant_type'] === 'refresh_token';
    if (isRefresh && context.status === 200) await state.beforeRefreshAnswer?.();
  });
  const handle = provider.callback();

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', issuer);
    if (state.isDown) return void response.writeHead(503, { 'content-type': 'text/html' }).end('<h1>Down</h1>');
    if (url.pathname === METADATA && options.metadata !== undefined) return writeMetadata(response);
    if (url.pathname === '/auth' && request.headers[INSIDE] === undefined) return walkForVisitor(url, response);
    const isRevocation = url.pathname === REVOCATION && request.headers[INSIDE] === undefined;
    if (isRevocation && options.refusesToRevoke !== undefined) return revokeSome(request, response);
    if (url.pathname.startsWith('/interaction/'))
      return grantConsent({ provider, request, response, account: state.account });
    await handle(request, response);
  }

  /** Sends the provider's metadata, with the changes that the test requests. */
  async function writeMetadata(response: ServerResponse): Promise<void> {
    const own = await fetch(`${issuer}/.well-known/openid-configuration`);
    const metadata: unknown = await own.json();
    response.writeHead(200, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ ...(metadata as object), ...options.metadata }));
  }

  /** Behaves like a server that can revoke only one type of token: RFC 7009, section 2.2.1. */
  async function revokeSome(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const body = await text(request);
    const isRefused = new URLSearchParams(body).get('token_type_hint') === options.refusesToRevoke;
    const authorization = request.headers.authorization ?? '';
    const headers = { [INSIDE]: '1', 'content-type': 'application/x-www-form-urlencoded' };
    const own = isRefused
      ? Response.json({ error: 'unsupported_token_type' }, { status: 400 })
      : await fetch(`${issuer}${REVOCATION}`, {
          method: 'POST',
          headers: authorization === '' ? headers : { ...headers, authorization },
          body,
        });
    response.writeHead(own.status, { 'content-type': 'application/json' }).end(await own.text());
  }

  /** The provider tracks progress in cookies. A visitor without cookies is redirected straight to the final page. */
  async function walkForVisitor(url: URL, response: ServerResponse): Promise<void> {
    requests['visit'] = (requests['visit'] ?? 0) + 1;
    if (!url.searchParams.has('scope')) url.searchParams.set('scope', scopesOf(options)[0] ?? '');
    const end = await followToCallback(url, { issuer, headers: { [INSIDE]: '1' } });
    if (typeof end === 'string') return void response.writeHead(400, { 'content-type': 'text/html' }).end(end);
    options.changeCallback?.(end);
    response.writeHead(302, { location: end.href }).end();
  }

  return {
    issuer,
    requests,
    signInAs: (account) => {
      state.account = account;
    },
    setDown: (isDown) => {
      state.isDown = isDown;
    },
    beforeRefreshAnswer: (happens) => {
      state.beforeRefreshAnswer = happens;
    },
    followRedirects: (url) => followRedirects(url),
    approveDevice: (verificationUri) =>
      approveOnPages(new URL(verificationUri), { issuer, headers: { [INSIDE]: '1' } }),
    findToken: async (token) => describe(await provider.AccessToken.find(token)),
    forgetAccessTokens: () => tokens.forget('AccessToken'),
    forgetRefreshTokens: () => tokens.forget('RefreshToken'),
    forgetClients: () => tokens.forget('Client'),
    async close() {
      http.closeAllConnections();
      if (http.listening) await new Promise((done) => http.close(done));
    },
  };
}

export interface AuthorizationServerOptions {
  /** Fixed port, to restart at the same address. Default: any free port. */
  readonly port?: number;
  /** Lifetime of an access token. Default: 3600. */
  readonly accessTokenSeconds?: number;
  /** When refresh tokens are issued. Default: `always`. */
  readonly refreshTokens?: 'always' | 'offline_access' | 'never';
  /** Grace period during which a used refresh token is still accepted. Default: none. */
  readonly refreshReuseSeconds?: number;
  /** Dynamic client registration. Default: on. */
  readonly registration?: boolean;
  /** Preregistered clients: `{ client_id, client_secret?, redirect_uris, … }` as in RFC 7591. */
  readonly clients?: readonly Readonly<Record<string, unknown>>[];
  /** Client authentication methods. Default: none, client_secret_basic and client_secret_post. */
  readonly clientAuthMethods?: readonly string[];
  /** Scopes of the protected resource. Default: mcp:read and mcp:write. A request without a scope gets the first. */
  readonly scopes?: readonly string[];
  /** Device flow. Default: on. */
  readonly device?: boolean;
  /** `interval` of the device flow. Default: omitted, which means 5. May be a fraction. */
  readonly deviceIntervalSeconds?: number;
  /** Revocation endpoint. Default: on. */
  readonly revocation?: boolean;
  /** The revocation endpoint refuses this kind of token, and revokes the other. */
  readonly refusesToRevoke?: 'access_token' | 'refresh_token';
  /** The signed-in account. Default: `alice`. See also `signInAs`. */
  readonly account?: string;
  /** Overrides for /.well-known/oauth-authorization-server, but not for OpenID. Undefined removes a member. */
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Changes the callback before the visitor is sent there: another `iss`, no `state`, … */
  readonly changeCallback?: (callback: URL) => void;
}

export interface AuthorizationServer {
  readonly issuer: string;
  /**
   * The number of requests by kind: `visit` (by a browser), `discovery`, `registration`, `device_authorization`,
   * `revocation`, and `token:<grant type>` for tokens, with the suffix `:failed` if refused.
   */
  readonly requests: Readonly<Record<string, number>>;
  /** Changes the account that the browser signs in with. */
  signInAs(account: string): void;
  /** While down, the server answers every request with 503. */
  setDown(isDown: boolean): void;
  /** Sets a hook that runs after a refresh token was rotated and before the response is sent. */
  beforeRefreshAnswer(happens: (() => Promise<void>) | undefined): void;
  /** Follows redirects from the authorization URL, like a browser. Returns the callback URL without requesting it. */
  followRedirects(authorizationUrl: string): Promise<URL>;
  /** Approves a device code, like a user who opens `verification_uri_complete`. */
  approveDevice(verificationUriComplete: string): Promise<void>;
  /** Returns the grant of a token; undefined if it is unknown, expired or revoked. */
  findToken(token: string): Promise<KnownToken | undefined>;
  /** Revokes all access tokens: the next use gets 401. */
  forgetAccessTokens(): void;
  /** Revokes all refresh tokens: the next refresh gets invalid_grant. */
  forgetRefreshTokens(): void;
  /** Forgets all registered clients: the next request of one gets invalid_client. */
  forgetClients(): void;
  close(): Promise<void>;
}

export interface KnownToken {
  readonly account: string;
  readonly clientId: string;
  readonly audience: string | undefined;
  readonly scopes: readonly string[];
}

interface State {
  account: string;
  beforeRefreshAnswer?: (() => Promise<void>) | undefined;
  isDown: boolean;
}

const REVOCATION = '/token/revocation';
const METADATA = '/.well-known/oauth-authorization-server';
/** Marks the walk's own requests. */
const INSIDE = 'x-inside';

function configurationOf(options: AuthorizationServerOptions, adapter: unknown): Readonly<Record<string, unknown>> {
  const scopes = scopesOf(options);
  const refreshTokens = options.refreshTokens ?? 'always';
  const accessTokenTTL = options.accessTokenSeconds ?? 3600;
  return {
    adapter,
    clients: options.clients ?? [],
    clientAuthMethods: options.clientAuthMethods ?? ['none', 'client_secret_basic', 'client_secret_post'],
    cookies: { keys: ['only for tests'] },
    jwks: { keys: [SIGNING_KEY] },
    scopes: ['openid', ...(refreshTokens === 'never' ? [] : ['offline_access']), ...scopes],
    pkce: { required: () => true },
    rotateRefreshToken: true,
    expiresWithSession: () => false,
    issueRefreshToken: (
      _: unknown,
      client: Readonly<{ grantTypeAllowed(grant: string): boolean }>,
      code: HasScopes,
    ) => {
      if (refreshTokens === 'never' || !client.grantTypeAllowed('refresh_token')) return false;
      return refreshTokens === 'always' || code.scopes.has('offline_access');
    },
    findAccount: (_: unknown, id: string) => ({ accountId: id, claims: () => ({ sub: id }) }),
    interactions: { url: (_: unknown, interaction: Readonly<{ uid: string }>) => `/interaction/${interaction.uid}` },
    ttl: {
      AccessToken: accessTokenTTL,
      AuthorizationCode: 60,
      DeviceCode: 600,
      Grant: 3600,
      IdToken: 3600,
      Interaction: 600,
      RefreshToken: 86_400,
      Session: 3600,
    },
    features: {
      devInteractions: { enabled: false },
      deviceFlow: {
        enabled: options.device ?? true,
        userCodeConfirmSource: (context: { body: string }, form: string) => {
          context.body = form;
        },
        successSource: (context: { body: string }) => {
          context.body = 'done';
        },
      },
      introspection: { enabled: true },
      registration: { enabled: options.registration ?? true },
      revocation: { enabled: options.revocation ?? true, allowedPolicy: () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => undefined,
        useGrantedResource: () => true,
        getResourceServerInfo: (_: unknown, resource: string) => ({
          scope: scopes.join(' '),
          audience: resource,
          accessTokenFormat: 'opaque',
          accessTokenTTL,
        }),
      },
    },
  };
}

function scopesOf({ scopes }: AuthorizationServerOptions): readonly string[] {
  return scopes ?? ['mcp:read', 'mcp:write'];
}

interface HasScopes {
  readonly scopes: ReadonlySet<string>;
}

/** A custom key avoids the provider's warning about built-in keys. Shared by all servers, because it is slow to generate. */
const SIGNING_KEY = createSigningKey();

function createSigningKey(): object {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  return { ...privateKey.export({ format: 'jwk' }), kid: 'test', use: 'sig', alg: 'RS256' };
}

function countRequests(provider: Provider, requests: Record<string, number>): void {
  provider.use(async (context, next) => {
    await next();
    const route = context.oidc?.route;
    if (route === undefined) return;
    const grant = String(context.oidc?.params?.['grant_type']).replace(/^.*:/, '');
    const key = route === 'token' ? `token:${grant}${context.status < 400 ? '' : ':failed'}` : route;
    requests[key] = (requests[key] ?? 0) + 1;
  });
}

interface ConsentRequest {
  readonly provider: Provider;
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly account: string;
}

async function grantConsent({ provider, request, response, account }: ConsentRequest): Promise<void> {
  const interaction = await provider.interactionDetails(request, response);
  const result =
    interaction.prompt.name === 'login'
      ? { login: { accountId: account } }
      : { consent: { grantId: await grantAll(provider, interaction, account) } };
  await provider.interactionFinished(request, response, result);
}

async function grantAll(
  provider: Provider,
  { params, prompt, grantId }: Interaction,
  account: string,
): Promise<string> {
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: account, clientId: String(params['client_id']) });
  const { missingOIDCScope = [], missingResourceScopes = {} } = prompt.details;
  if (missingOIDCScope.length > 0) grant.addOIDCScope(missingOIDCScope.join(' '));
  for (const [resource, scopes] of Object.entries(missingResourceScopes))
    grant.addResourceScope(resource, scopes.join(' '));
  return grant.save();
}

async function followRedirects(url: string): Promise<URL> {
  const response = await fetch(url, { redirect: 'manual' });
  const location = response.headers.get('location');
  if (location === null) throw new Error(`no callback: ${response.status} ${await response.text()}`);
  return new URL(location);
}

function describe(token: StoredToken | undefined): KnownToken | undefined {
  if (token === undefined || token.isExpired) return undefined;
  const audience = typeof token.aud === 'string' ? token.aud : token.aud?.[0];
  return {
    account: token.accountId,
    clientId: token.clientId,
    audience,
    scopes: (token.scope ?? '').split(' ').filter((scope) => scope !== ''),
  };
}
