import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { CliProcess } from '../gateway/cli-process.ts';
import { run, type TestHome, testHomes } from '../gateway/run-cli.ts';
import { switchboard } from '../interop/programs.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { RawClient } from './raw-client.ts';

const processes = trackProcesses();
const newHome = testHomes(processes);
const WITHIN = { timeout: 40_000, interval: 50 };

/** Starts the gateway on a free port. */
async function start(home: TestHome, ...args: readonly string[]) {
  return startAt('0', home, ...args);
}

async function startAt(address: string, home: TestHome, ...args: readonly string[]) {
  const config = home.write('config.json', {
    mcpServers: { one: fixture('well-behaved'), dead: { command: 'no-such-program-anywhere' } },
  });
  const gateway = new CliProcess(
    switchboard('gateway', '--http', address, '--config', config, ...args),
    processes,
    home.env(),
    home.folder,
  );
  const url = await vi.waitFor(() => {
    const [, found] = /Listening on (\S+)\./.exec(gateway.stderr) ?? [];
    if (found === undefined) throw new Error(gateway.stderr);
    return found;
  }, WITHIN);
  return { gateway, url, config };
}

async function stop({ gateway }: Awaited<ReturnType<typeof start>>): Promise<void> {
  process.kill(gateway.pid, 'SIGTERM');
  await gateway.exited;
}

verifies(
  'gateway:http:many',
  'the command serves several clients until a signal arrives, and running calls finish',
  async () => {
    const started = await start(newHome(), '--auth', 'none');
    const legacy = new RawClient(started.url, 'legacy');
    const modern = new RawClient(started.url, 'modern');
    await legacy.initialize();
    await Promise.all([legacy.request('tools/list'), modern.request('tools/list')]);
    const calls = [legacy, modern].map((client) => client.call('one__slow', { ms: 1_000 }));
    // The call has reached the server when a later one is answered.
    await legacy.call('one__echo', { text: 'x' });
    const before = performance.now();
    process.kill(started.gateway.pid, 'SIGTERM');
    const results = await Promise.all(calls);
    expect(results.map(({ result }) => result?.isError ?? false)).toEqual([false, false]);
    expect((await started.gateway.exited).code).toBe(143);
    expect(performance.now() - before).toBeLessThan(20_000);
  },
);

verifies('gateway:http:status', 'the status names the URL and the clients, and counts what was refused', async () => {
  const home = newHome();
  const started = await start(home, '--auth', 'none');
  const client = new RawClient(started.url, 'legacy');
  await client.initialize({}, { name: 'visitor', version: '2' });
  await client.request('tools/list');
  await new RawClient(started.url, 'modern').request('tools/list');
  await vi.waitFor(async () => {
    const { stdout } = await run(['mcp', 'status', '--json'], { env: home.env(), cwd: home.folder });
    const { running } = JSON.parse(stdout);
    expect(running[0]).toMatchObject({ url: started.url, clients: ['visitor 2', 'test 1'] });
  }, WITHIN);
  expect((await fetch(`${started.url}/none`, { method: 'POST' })).status).toBe(404);
  const counts = { sessions: 1, modernClients: 1, streams: 0, refused: { 404: 1 } };
  const { stdout: json } = await run(['status', '--json'], { env: home.env(), cwd: home.folder });
  expect(JSON.parse(json).running[0].http).toMatchObject(counts);
  const { stdout: text } = await run(['status'], { env: home.env(), cwd: home.folder });
  expect(text).toMatch(
    /^1 session · 1 client without a session · \d+ connections? · 0 requests · 0 streams · refused 1 \(404\)$/m,
  );
  const { result } = await client.request('resources/read', { uri: 'switchboard://status' });
  const { http } = JSON.parse(result.contents[0].text);
  expect(http).toMatchObject({ ...counts, requests: 1, clients: ['visitor 2', 'test 1'] });
  await stop(started);
});

verifies('gateway:http:health', '/health needs no token and tells no reasons', async () => {
  const started = await start(newHome());
  const origin = new URL(started.url).origin;
  const health = async (query = '') => {
    const response = await fetch(`${origin}/health${query}`);
    return [response.status, await response.json()];
  };
  expect(await health()).toEqual([200, { status: 'ok' }]);
  expect(await health('?server=one')).toEqual([200, { status: 'idle' }]);
  expect(await health('?server=none')).toEqual([404, { status: 'unknown' }]);
  expect((await fetch(started.url, { method: 'POST' })).status).toBe(401);
  await stop(started);
});

test('/health reports a server that cannot be started', async () => {
  const started = await start(newHome(), '--auth', 'none');
  const client = new RawClient(started.url, 'modern');
  await client.request('tools/list');
  const origin = new URL(started.url).origin;
  const statuses = await Promise.all(
    ['one', 'dead'].map(async (id) => (await fetch(`${origin}/health?server=${id}`)).status),
  );
  expect(statuses).toEqual([200, 503]);
  await stop(started);
});

test('a session continues after the gateway was killed and started again', async () => {
  const home = newHome();
  const probe = await start(home, '--auth', 'none');
  const { port } = new URL(probe.url);
  await stop(probe);
  const first = await startAt(port, home, '--auth', 'none');
  const client = new RawClient(first.url, 'legacy');
  await client.initialize();
  await client.call('one__echo', { text: 'before' });
  process.kill(first.gateway.pid, 'SIGKILL');
  await first.gateway.exited;
  const second = await startAt(port, home, '--auth', 'none');
  expect((await client.call('one__echo', { text: 'after' })).result.content[0].text).toBe('after');
  expect(await client.end()).toBeLessThan(300);
  await stop(second);
});

describe('options', () => {
  test.each([
    [['--http', '4747', '--', 'server'], '--http'],
    [['--http', '4747', '--view', 'x'], '--view'],
    [['--auth', 'none'], '--http'],
    [['--http', '0.0.0.0:4747', '--auth', 'none'], '--auth none'],
    [['--http', 'nonsense'], 'port'],
  ])('%j are refused', async (args, mentioned) => {
    const home = newHome();
    const { status, stderr } = await run(['gateway', ...args], { env: home.env(), cwd: home.folder });
    expect(status).toBe(2);
    expect(stderr).toContain(mentioned);
  });

  test('a port in use is an error that names the process', async () => {
    const home = newHome();
    const started = await start(home, '--auth', 'none');
    const { port } = new URL(started.url);
    const args = ['gateway', '--http', port, '--auth', 'none', '--config', started.config];
    const { status, stderr } = await run(args, { env: home.env(), cwd: home.folder });
    expect(status).toBe(4);
    expect(stderr).toContain(String(started.gateway.pid));
    await stop(started);
  });
});
