import { setTimeout as delay } from 'node:timers/promises';
import { type Credentials, createCredentials } from '../../../auth/credentials/credentials.ts';
import { limitCredentials, type MayUseSignIn } from '../../../auth/credentials/limited-credentials.ts';
import { createRecentTokens, type RecentTokens } from '../../../auth/credentials/recent-tokens.ts';
import { createSignInLimit, type SignInLimit } from '../../../auth/credentials/sign-in-limit.ts';
import type { Challenge } from '../../../auth/discovery/challenge.ts';
import { type AuthStore, openAuthStore } from '../../../auth/store/auth-store.ts';
import type { Environment } from '../../../config/files/folders.ts';
import type { OAuthSettings } from '../../../config/server-entry.ts';
import { createGuardedFetch, type GuardedFetch } from '../../../net/guarded-fetch.ts';
import type { ByteBudget } from '../../../wire/stream/byte-budget.ts';
import type { TransportReceiver, UpstreamTransport } from '../transport.ts';
import { createKnownVariants } from './known-variants.ts';
import { type HttpServer, openHttp } from './open-http.ts';

/** An HTTP server with the name under which its sign-in is stored. */
export interface NamedHttpServer extends HttpServer {
  readonly serverId: string;
  readonly oauth: OAuthSettings | undefined;
  /** The entry has its own Authorization header, so no sign-in happens. */
  readonly hasOwnAuthorization: boolean;
  /** Command to sign in, if it is not the default one. */
  readonly loginCommand?: string | undefined;
}

export type SignIn = (request: SignInRequest) => Promise<void>;

export interface SignInRequest {
  readonly server: NamedHttpServer;
  readonly challenge: Challenge;
  readonly store: AuthStore;
  readonly fetch: GuardedFetch;
}

export interface HttpServersOptions {
  readonly environment: Environment;
  readonly signIn?: SignIn | undefined;
  /** Which servers get the sign-in of this user. Default: all. */
  readonly mayUseSignIn?: MayUseSignIn | undefined;
  /** Shared limit on incomplete messages of all servers. */
  readonly budget?: ByteBudget | undefined;
}

/** All HTTP servers, each with its own credentials. */
export interface HttpServers {
  open(server: NamedHttpServer, receiver: TransportReceiver): Promise<UpstreamTransport>;
  credentialsChanged(serverId: string): boolean;
  /** Returns the tokens of all servers, including recently replaced ones. They must never be shown. */
  tokens(): readonly string[];
  /** Resolves when the tokens of pending refreshes are stored, or after a few seconds. Never rejects. */
  close(): Promise<void>;
}

interface ServerSignIn {
  /** Created for each connection, because the entry may have changed. */
  readonly credentials: Credentials;
  /** Kept over all connections, like the limit. */
  readonly recentTokens: RecentTokens;
  readonly signInLimit: SignInLimit;
}

/** The whole shutdown may take five seconds, and stopping processes needs part of that. */
const CLOSE_TIMEOUT_MS = 2_500;

export function createHttpServers({ environment, signIn, mayUseSignIn, budget }: HttpServersOptions): HttpServers {
  const store = openAuthStore(environment);
  const variants = createKnownVariants(Date.now);
  const { env } = environment;
  const signInsById = new Map<string, ServerSignIn>();

  const createSignIn = (server: NamedHttpServer): ServerSignIn => {
    const { serverId, url, oauth: settings, hasOwnAuthorization, loginCommand } = server;
    const fetch = createGuardedFetch({ configuredUrl: url, env });
    const known = signInsById.get(serverId);
    const { recentTokens = createRecentTokens(), signInLimit = createSignInLimit(Date.now) } = known ?? {};
    const stored = createCredentials({
      ...{ serverId, url, settings, hasOwnAuthorization, loginCommand, store, fetch, now: Date.now },
      ...{ recentTokens, signInLimit },
      signIn: signIn && ((challenge) => signIn({ server, challenge, store, fetch })),
    });
    const isLimited = mayUseSignIn !== undefined && !hasOwnAuthorization;
    const credentials = isLimited ? limitCredentials(stored, serverId, mayUseSignIn) : stored;
    return { credentials, recentTokens, signInLimit };
  };

  return {
    open(server, receiver) {
      const serverSignIn = createSignIn(server);
      signInsById.set(server.serverId, serverSignIn);
      const { credentials } = serverSignIn;
      return openHttp(server, { env, credentials, variants, budget }, receiver);
    },
    credentialsChanged: (serverId) => signInsById.get(serverId)?.credentials.hasChanged() ?? true,
    tokens: () => [...signInsById.values()].flatMap(({ recentTokens }) => recentTokens.all()),
    async close() {
      // Many refresh tokens work only once: if the response is not stored, the sign-in is lost.
      const limit = new AbortController();
      const late = delay(CLOSE_TIMEOUT_MS, undefined, { signal: limit.signal }).catch(() => {});
      await Promise.race([store.whenIdle(), late]);
      limit.abort();
    },
  };
}
