import { once } from 'node:events';
import { renameSync } from 'node:fs';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { expect, onTestFinished, test } from 'vitest';
import { openAuthorizationServer } from '../auth/authorization-server.ts';
import { fixture } from '../fixtures/paths.ts';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { CliProcess } from './cli-process.ts';
import { testHomes } from './run-cli.ts';

/** The gateway's stderr after its summary: one line for each change of a server's condition. */
const processes = trackProcesses();
const newHome = testHomes(processes);

/** No client waits for a slow server. */
const SHORT_TIMEOUT = { WRAPPER_TOOLS_LIST_TIMEOUT_MS: '400' };

type Filter = { readonly enabled_tools?: readonly string[]; readonly disabled_tools?: readonly string[] };
type Servers = Readonly<
  Record<string, ({ readonly command: string; readonly args?: readonly string[] } & Filter) | { readonly url: string }>
>;

async function start(mcpServers: Servers, env: Readonly<Record<string, string>> = {}) {
  const home = newHome();
  const file = home.write('config.json', { version: 1, mcpServers });
  const gateway = new CliProcess(
    switchboard('gateway', '--config', file),
    processes,
    home.env({ WRAPPER_TOOLS_LIST_TIMEOUT_MS: '20000', ...env }),
    home.folder,
  );
  await gateway.initialize();
  const lines = () => gateway.stderr.split('\n').filter((line) => line !== '');
  const line = async (pattern: RegExp, from = 0) => {
    const end = performance.now() + 30_000;
    for (;;) {
      const found = lines()
        .slice(from)
        .find((text) => pattern.test(text));
      if (found !== undefined) return found;
      if (performance.now() > end) throw new Error(`No ${pattern} in:\n${gateway.stderr}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
  const end = async () => {
    gateway.endInput();
    await gateway.exited;
    return lines();
  };
  return { home, file, gateway, lines, line, end };
}

const pidOf = async (gateway: CliProcess, id: string): Promise<number> => {
  const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
  const { servers } = JSON.parse(result.contents[0].text);
  return Number(/pid (\d+)/.exec(servers.find((server: { id: string }) => server.id === id).where)?.[1]);
};

test('a killed and a crashed server are reported once, and again when they are back', async () => {
  const { gateway, line, end } = await start({ good: fixture('well-behaved'), dying: fixture('dies-mid-call') });
  await line(/^Started 2 child server/);
  process.kill(await pidOf(gateway, 'good'), 'SIGKILL');
  await line(/^\[switchboard\] good is ready now/);
  await gateway.call('dying__die');
  await line(/^\[switchboard\] dying is ready now/);
  expect((await end()).slice(1)).toEqual([
    '[switchboard] good failed: it was killed by SIGKILL without output on stderr. ' +
      expectedRun('good', gateway.stderr),
    '[switchboard] good is ready now.',
    expect.stringMatching(/^\[switchboard\] dying failed: .*out of cheese.* Run: switchboard mcp test .*dying$/),
    '[switchboard] dying is ready now.',
  ]);
});

test('unknown tool names in the config are reported once, and again when they change', async () => {
  const good = fixture('well-behaved');
  const { home, file, gateway, line, end } = await start({
    good: { ...good, enabled_tools: ['echo', 'ehco'], disabled_tools: ['delete*'] },
    other: { ...good, enabled_tools: ['echo'] },
  });
  const first = await line(/^\[switchboard\] good: /);
  expect(first).toBe(
    `[switchboard] good: enabled_tools: the server has no tool ehco; disabled_tools: the server has no tool "delete*" (${file}:4)`,
  );
  process.kill(await pidOf(gateway, 'good'), 'SIGKILL');
  await line(/good is ready now/);
  const servers = { good: { ...good, enabled_tools: ['echo', 'sya'] }, other: good };
  home.write('config.json', { version: 1, mcpServers: servers });
  await line(/no tool sya/);
  const lines = await end();
  expect(lines.filter((text) => text.includes('has no tool'))).toEqual([
    first,
    `[switchboard] good: enabled_tools: the server has no tool sya (${file}:4)`,
  ]);
});

test('a server that fails at every start is not reported again after the summary', async () => {
  const { home, line, end, lines } = await start({
    good: fixture('well-behaved'),
    ill: { command: process.execPath, args: [fixture('crashes-until-fixed').args[0] ?? '', '.'] },
  });
  await line(/failed: ill/);
  const count = lines().length;
  home.write('healed', '');
  await line(/^\[switchboard\] ill is ready now/);
  expect((await end()).slice(count)).toEqual(['[switchboard] ill is ready now.']);
});

test('a slow first start is reported as starting, and later as ready', async () => {
  const { gateway, line, end } = await start({ npxlike: fixture('slow-start', '3000') }, SHORT_TIMEOUT);
  await line(/^Started 0 child server/);
  const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
  expect(JSON.parse(result.contents[0].text).servers[0]).toMatchObject({
    state: 'connecting',
    reason: expect.stringMatching(/^still starting after \d+ s$/),
  });
  await line(/^\[switchboard\] npxlike is ready now/);
  expect(await end()).toEqual(['Started 0 child server(s); starting: npxlike', '[switchboard] npxlike is ready now.']);
});

test('a slow first start that fails is reported', async () => {
  const npxlike = { ...fixture('hangs-at-initialize'), startup_timeout_ms: 2_000 };
  const { line, end } = await start({ npxlike }, SHORT_TIMEOUT);
  await line(/^Started 0 child server\(s\); starting: npxlike$/);
  await line(/^\[switchboard\] npxlike failed: it did not become ready/);
  await end();
});

test('a server whose list fails is degraded in the summary, and reported as ready when the list arrives', async () => {
  const failing = fixture('fails-at-list', '2');
  const { line, end } = await start({ good: fixture('well-behaved'), failing });
  await line(/degraded: failing/);
  await line(/^\[switchboard\] failing is ready now/);
  expect((await end()).slice(1)).toEqual(['[switchboard] failing is ready now.']);
});

test('lists that arrive after the summary do not repeat it', async () => {
  const { line, end } = await start({
    failing: fixture('fails-at-list', '9', 'tools/list', '700'),
    good: fixture('fails-at-list', '0', 'tools/list', '700'),
  });
  await line(/^Started 1 child server.*degraded: failing/);
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  expect((await end()).slice(1)).toEqual([]);
});

test('servers removed from and added to the config are reported', async () => {
  const { file, home, line, end } = await start({ good: fixture('well-behaved'), old: fixture('well-behaved') });
  await line(/^Started 2 child server/);
  const mcpServers = { good: fixture('well-behaved'), young: fixture('well-behaved') };
  // In one step: a file that is read while it is being written would be reported as invalid.
  renameSync(home.write('next.json', { version: 1, mcpServers }), file);
  await line(/^\[switchboard\] young is ready now/);
  expect(file).toContain('config.json');
  expect((await end()).slice(1)).toEqual([
    '[switchboard] The config has changed: started young; stopped old.',
    '[switchboard] young is ready now.',
  ]);
});

test('a server that crashes repeatedly does not flood stderr', async () => {
  const { gateway, end, line } = await start({ dying: fixture('dies-mid-call') });
  await line(/^Started 1 child server/);
  for (let count = 0; count < 8; count++) await gateway.call('dying__die');
  await gateway.call('dying__echo', { text: 'x' });
  expect((await end()).slice(1).length).toBeLessThanOrEqual(6);
});

test('nothing is written if the summary is disabled', async () => {
  const { gateway, end } = await start({ dying: fixture('dies-mid-call') }, { WRAPPER_SUMMARY: '0' });
  await gateway.call('dying__die');
  await gateway.call('dying__echo', { text: 'x' });
  expect(await end()).toEqual([]);
});

test('a crash and a recovery of a single command are reported too', async () => {
  const home = newHome();
  const { command, args } = fixture('dies-mid-call');
  const gateway = new CliProcess(switchboard('--', command, ...args), processes, home.env(), home.folder);
  await gateway.initialize();
  await gateway.call('die');
  await gateway.call('echo', { text: 'x' });
  gateway.endInput();
  await gateway.exited;
  expect(gateway.stderr.split('\n').slice(1, -1)).toEqual([
    expect.stringMatching(/^\[switchboard\] node failed: .*out of cheese/),
    '[switchboard] node is ready now.',
  ]);
});

function expectedRun(id: string, stderr: string): string {
  return /Run: switchboard mcp test .*?good/.exec(stderr)?.[0].replace('good', id) ?? 'Run:';
}

test('a running server that begins to require a sign-in is reported with the login command', async () => {
  const { issuer, close } = await openAuthorizationServer();
  onTestFinished(close);
  let isLocked = false;
  const url = await openHttpServer(issuer, ({ message, hasSession }, response) => {
    const isHello = message.method === 'initialize';
    // The session has expired, and a new one requires a token.
    if (isLocked && hasSession) return void response.writeHead(404).end();
    if (isLocked) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end();
    if (message.id === undefined) return void response.writeHead(202).end();
    const tools = [{ name: 'echo', inputSchema: { type: 'object' } }];
    const result = isHello
      ? { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo: { name: 'web', version: '1' } }
      : { tools };
    response.writeHead(200, { 'content-type': 'application/json', ...(isHello ? { 'mcp-session-id': 'one' } : {}) });
    response.end(JSON.stringify({ jsonrpc: '2.0', id: message.id, result }));
  });
  const { gateway, line, end } = await start({ web: { url } });
  await line(/^Started 1 child server/);
  isLocked = true;
  await gateway.call('web__echo');
  await line(/^\[switchboard\] web needs/);
  expect((await end()).slice(1)).toEqual([
    expect.stringMatching(/^\[switchboard\] web failed: .* no longer knows this session/),
    expect.stringMatching(/^\[switchboard\] web needs a sign-in\. Run: switchboard mcp login .*web/),
  ]);
});

interface ReceivedMessage {
  readonly message: { readonly id?: number; readonly method: string };
  readonly hasSession: boolean;
}

async function openHttpServer(
  issuer: string,
  answer: (received: ReceivedMessage, response: ServerResponse) => void,
): Promise<string> {
  const server = createServer((request, response) => {
    if (request.url === '/.well-known/oauth-protected-resource/mcp') {
      response.writeHead(200, { 'content-type': 'application/json' });
      return void response.end(JSON.stringify({ resource: url, authorization_servers: [issuer] }));
    }
    if (request.method !== 'POST') return void response.writeHead(405).end();
    const hasSession = request.headers['mcp-session-id'] !== undefined;
    text(request).then((body) => answer({ message: JSON.parse(body), hasSession }, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`;
  return url;
}
