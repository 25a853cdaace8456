import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach } from 'vitest';
import {
  type Credentials,
  type CredentialsOptions,
  createCredentials,
} from '../../src/auth/credentials/credentials.ts';
import { createRecentTokens } from '../../src/auth/credentials/recent-tokens.ts';
import { createSignInLimit } from '../../src/auth/credentials/sign-in-limit.ts';
import { type SignInOptions, signIn } from '../../src/auth/sign-in/sign-in.ts';
import type { AuthRecord } from '../../src/auth/store/auth-record.ts';
import { type AuthStore, openAuthStore } from '../../src/auth/store/auth-store.ts';
import type { Environment } from '../../src/config/files/folders.ts';
import { createGuardedFetch, type GuardedFetch } from '../../src/net/guarded-fetch.ts';
import {
  type AuthorizationServer,
  type AuthorizationServerOptions,
  openAuthorizationServer,
} from './authorization-server.ts';
import { openProtectedServer, type ProtectedServer, type ProtectedServerOptions } from './protected-server.ts';

/** A protected server, its authorization server, and a user with a home folder. All are removed after the test. */
export interface Testbed {
  readonly authorizationServer: AuthorizationServer;
  readonly server: ProtectedServer;
  readonly folder: string;
  readonly testEnvironment: Environment;
  readonly store: AuthStore;
  readonly fetch: GuardedFetch;
  /** Opens a second store, as another process would. */
  openStore(): AuthStore;
  credentials(options?: Partial<CredentialsOptions>): Credentials;
  /** Signs in with a browser that approves everything. */
  signIn(options?: Partial<SignInOptions>): Promise<AuthRecord>;
  /** Returns this server's record in mcp-auth.json, or undefined. */
  stored(id?: string): Readonly<Record<string, unknown>> | undefined;
  /** Calls a tool, and retries after a rejection as often as allowed. */
  call(credentials: Credentials, tool: string): Promise<string>;
  openAuthorizationServer(options?: AuthorizationServerOptions): Promise<AuthorizationServer>;
}

export interface TestbedOptions {
  readonly authorizationServer?: AuthorizationServerOptions;
  readonly server?: ProtectedServerOptions;
}

export const ID = 'notes';

export function useTestbeds(): (options?: TestbedOptions) => Promise<Testbed> {
  const ends: (() => unknown)[] = [];
  afterEach(async () => {
    for (const end of ends.splice(0).reverse()) await end();
  });
  return async (options = {}) => {
    const open = async (how: AuthorizationServerOptions = {}) => {
      const opened = await openAuthorizationServer(how);
      ends.push(() => opened.close());
      return opened;
    };
    const authorizationServer = await open(options.authorizationServer);
    const isProtected = options.server?.apiKeyOnly === undefined;
    const server = await openProtectedServer({ ...(isProtected ? { authorizationServer } : {}), ...options.server });
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-login-'));
    ends.push(
      () => server.close(),
      () => rmSync(folder, { recursive: true, force: true }),
    );
    const testEnvironment: Environment = {
      cwd: folder,
      home: folder,
      env: { SWITCHBOARD_HOME: folder },
      platform: 'linux',
    };
    const store = openAuthStore(testEnvironment);
    const fetch = createGuardedFetch({ configuredUrl: server.url, env: {} });
    const login = { serverId: ID, url: server.url, settings: undefined, store, fetch, now: Date.now };
    return {
      authorizationServer,
      server,
      folder,
      testEnvironment,
      store,
      fetch,
      openStore: () => openAuthStore(testEnvironment),
      credentials: (over = {}) =>
        createCredentials({
          ...login,
          hasOwnAuthorization: false,
          signInLimit: createSignInLimit(Date.now),
          recentTokens: createRecentTokens(),
          ...over,
        }),
      signIn: (over = {}) =>
        signIn({ ...login, signal: new AbortController().signal, show: (url) => browse(url), ...over }),
      stored: (id = ID) => storedIn(folder, id),
      call: (credentials, tool) => callTool(server.url, credentials, tool),
      openAuthorizationServer: open,
    };
  };
}

/** Follows all redirects, like a browser. */
export async function browse(url: string): Promise<void> {
  await (await fetch(url)).text();
}

/** Returns the code and message of the error. */
export async function refusalOf(work: Promise<unknown>): Promise<{ readonly code: unknown; readonly message: string }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof Error) return { code: 'code' in error ? error.code : undefined, message: error.message };
  }
  throw new Error('Expected an error.');
}

/** Returns every secret in the file, to check that none leaks. */
export function secretsIn(record: Readonly<Record<string, unknown>> | undefined): readonly string[] {
  const secrets = [record?.['access_token'], record?.['refresh_token'], record?.['client_secret']];
  return secrets.filter((secret): secret is string => typeof secret === 'string');
}

async function callTool(url: string, credentials: Credentials, tool: string): Promise<string> {
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt++) {
    const sent = await credentials.authorization();
    const response = await fetch(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...(sent === undefined ? {} : { authorization: sent }) },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool } }),
    });
    const text = await response.text();
    if (response.ok) return JSON.parse(text).result.content[0].text;
    const challenge = response.headers.get('www-authenticate') ?? undefined;
    await credentials.handleRejection({ status: response.status, challenge, sent });
  }
  throw new Error(`refused ${MAX_ATTEMPTS} times`);
}

const MAX_ATTEMPTS = 6;

function storedIn(folder: string, id: string): Readonly<Record<string, unknown>> | undefined {
  const content = JSON.parse(readFileSync(join(folder, 'mcp-auth.json'), 'utf8'));
  return content.servers[id];
}
