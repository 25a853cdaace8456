// @ts-check
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { startGateway } from './gateway-process.mjs';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const PROCESSES = 4;
const CALLS = 8;
const ID = 's1';
/** The number of tools of the protected server. */
const TOOLS = 3;

/** Four gateways of one user make eight calls each, concurrently, after their shared token has expired. Its refresh
 * token works only once. Counts the mistakes: lost calls, refreshes beyond the first, and opened browsers. */
export async function expiredTokenMistakes() {
  const testbed = await openTestbed();
  const server = /** @type {Parameters<typeof startGateway>[0]} */ (
    /** @type {unknown} */ ({ [ID]: { url: testbed.url } })
  );
  const gateways = Array.from({ length: PROCESSES }, () => startGateway(server, {}, testbed.home));
  try {
    await Promise.all(gateways.map((gateway) => gateway.ready(TOOLS)));
    testbed.expire();
    const before = { ...testbed.requests };
    const answers = await Promise.all(
      gateways.flatMap(({ client }) => Array.from({ length: CALLS }, () => call(client))),
    );
    const since = (/** @type {string} */ what) => (testbed.requests[what] ?? 0) - (before[what] ?? 0);
    const unanswered = answers.filter((isAnswered) => !isAnswered).length;
    const refreshes = since('token:refresh_token') + since('token:refresh_token:failed');
    return { ours: unanswered + Math.abs(refreshes - 1) + since('visit'), theirs: 0 };
  } finally {
    await Promise.all(gateways.map((gateway) => gateway.close()));
    await testbed.close();
  }
}

/** @param {{ request: (method: string, params: unknown) => Promise<any> }} client */
async function call(client) {
  const { result } = await client.request('tools/call', { name: `${ID}__whoami`, arguments: {} });
  return result?.content?.[0]?.text === 'alice';
}

/** A real authorization server, a server that requires its tokens, and a signed-in user. */
async function openTestbed() {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const { openAuthorizationServer, openProtectedServer, openAuthStore, createGuardedFetch, signIn } = await load(home);
  const authorizationServer = await openAuthorizationServer();
  const server = await openProtectedServer({ authorizationServer });
  const store = openAuthStore({ cwd: home, home, env: { SWITCHBOARD_HOME: home }, platform: process.platform });
  await signIn({
    serverId: ID,
    url: server.url,
    settings: undefined,
    store,
    fetch: createGuardedFetch({ configuredUrl: server.url, env: {} }),
    now: Date.now,
    signal: AbortSignal.timeout(10_000),
    show: async (/** @type {string} */ url) => void (await fetch(await authorizationServer.followRedirects(url))),
  });
  return {
    home,
    url: server.url,
    requests: authorizationServer.requests,
    expire() {
      store.update(ID, (/** @type {object} */ record) => ({ ...record, expiresAt: Date.now() - 1000 }));
      authorizationServer.forgetAccessTokens();
    },
    async close() {
      await server.close();
      await authorizationServer.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** Bundles the test servers and our sign-in code, which are TypeScript. @param {string} folder */
async function load(folder) {
  const names = ['test/auth/authorization-server', 'test/auth/protected-server'];
  const own = ['src/auth/store/auth-store', 'src/net/guarded-fetch', 'src/auth/sign-in/sign-in'];
  const contents = [...names, ...own].map((name) => `export * from './${name}.ts';`).join('\n');
  const outfile = join(ROOT, 'test', '.tmp', 'bench', `expired-${folder.slice(-6)}.mjs`);
  await build({
    stdin: { contents, resolveDir: ROOT },
    outfile,
    bundle: true,
    format: 'esm',
    platform: 'node',
    packages: 'external',
    logLevel: 'warning',
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(outfile, { force: true });
  }
}
