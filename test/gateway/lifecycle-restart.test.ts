import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { isAlive } from '../processes.ts';
import { gatewayHarness, type Message, type TestClient } from './harness.ts';
import { pidOf, statusOf, untilState } from './server-status.ts';

const { openGateway } = gatewayHarness();

const folders: string[] = [];
afterEach(() => Promise.all(folders.splice(0).map((folder) => rm(folder, { recursive: true }))));

describe('a crash', () => {
  test('fails every pending call at once with an unknown outcome, and no call of another server', async () => {
    const { connect, gateway } = openGateway({ bad: fixture('hangs-at-call'), good: fixture('well-behaved') });
    const client = await connect();
    await client.toolNames();
    const hanging = [1, 2, 3].map(() => client.call('bad__hang'));
    const other = client.call('good__slow', { ms: 200 });
    // Responses are in order, so the calls before it have reached the server.
    await client.call('bad__echo', { text: 'there' });
    process.kill(pidOf(gateway, 'bad'), 'SIGKILL');
    // Nothing else can settle them: their deadline is ten minutes away.
    for (const { error } of await Promise.all(hanging)) {
      expect(error).toEqual({
        code: 1104,
        message:
          'Server error: bad is down: it was killed by SIGKILL without output on stderr. The server may have done this; check before repeating. Run: switchboard mcp test bad',
        data: {
          kind: 'server_error',
          retryable: false,
          toolName: 'bad__hang',
          serverName: 'bad',
          original: { code: null, signal: 'SIGKILL', reason: 'PROCESS_EXITED' },
        },
      });
    }
    expect((await other).result.content[0].text).toBe('slept 200 ms');
  });

  test('reports the last stderr line of the server to the caller', async () => {
    const { connect } = openGateway({ bad: fixture('dies-mid-call') });
    const client = await connect();
    await client.toolNames();
    const { error } = await client.call('bad__die', { code: 5 });
    expect(error?.message).toBe(
      'Server error: bad is down: it ended with exit code 5: dies-mid-call: out of cheese. The server may have done this; check before repeating. Run: switchboard mcp test bad',
    );
    expect(error?.data?.['original']).toEqual({
      code: 5,
      signal: null,
      lastLine: 'dies-mid-call: out of cheese',
      reason: 'PROCESS_EXITED',
    });
  });

  test('is detected at once, even if a child process holds stdout open', async () => {
    const { connect } = openGateway({ bad: fixture('leaves-stdout-open') });
    const client = await connect();
    await client.toolNames();
    const { error } = await client.call('bad__die');
    const survivor = Number(/(\d+) lives on/.exec(error?.message ?? '')?.[1]);
    // It ends only on KILL, which comes a second later.
    expect(isAlive(survivor)).toBe(true);
    expect(error?.data).toMatchObject({ retryable: false, original: { code: 4, signal: null } });
  });

  test.each([
    ['stdout', 1],
    ['stdin', 0],
  ])('is assumed when a server closes its %s and keeps running', async (_, fd) => {
    const { connect, gateway } = openGateway({ bad: fixture('closes-a-pipe') });
    const client = await connect();
    await client.toolNames();
    const before = pidOf(gateway, 'bad');
    const closing = client.call('bad__close', { fd });
    // A write detects that it does not read.
    const written = setInterval(() => client.notify('notifications/roots/list_changed'), 50);
    expect((await closing).error?.message).toMatch(
      /^Server error: bad is down: it closed its stdin or stdout without output on stderr/,
    );
    clearInterval(written);
    expect((await client.call('bad__echo', { text: 'again' })).result.content[0].text).toBe('again');
    await expect.poll(() => isAlive(before), { timeout: 30_000 }).toBe(false);
  });

  test('is followed by an immediate restart, and the tools stay listed', async () => {
    const { connect, gateway } = openGateway({ bad: fixture('dies-mid-call') });
    const client = await connect();
    const names = await client.toolNames();
    const before = pidOf(gateway, 'bad');
    await client.call('bad__die');
    expect(await client.toolNames()).toEqual(names);
    expect((await client.call('bad__echo', { text: 'again' })).result.content[0].text).toBe('again');
    expect(pidOf(gateway, 'bad')).not.toBe(before);
    expect(statusOf(gateway, 'bad')).toMatchObject({ state: 'ready', restarts: 1, lastWords: [] });
    expect(client.notifications('notifications/tools/list_changed')).toEqual([]);
  });

  test('cancels the pending request of the server', async () => {
    const { connect, gateway } = openGateway({ asker: fixture('requests-elicitation') });
    const client = await connect({ capabilities: { elicitation: {} } });
    await client.toolNames();
    const call = client.call('asker__ask');
    const question = await client.waitFor(({ method }) => method === 'elicitation/create');
    process.kill(pidOf(gateway, 'asker'), 'SIGKILL');
    expect((await call).error?.data).toMatchObject({ retryable: false });
    expect(client.notifications('notifications/cancelled').map(({ params }) => params?.['requestId'])).toEqual([
      question.id,
    ]);
  });
});

describe('a call that is still queued when its server crashes', () => {
  test('is sent again if it is read-only or idempotent; other calls and partly sent calls are not', async () => {
    const { connect, gateway } = openGateway({ deaf: fixture('stops-reading') });
    const client = await connect();
    await client.toolNames();
    const before = Number(textIn(await client.call('deaf__deaf')));
    // Larger than any pipe: its first bytes are sent, its last ones are not, and later messages wait behind it.
    const onItsWay = client.call('deaf__look', { filling: 'x'.repeat(2 * 1024 * 1024) });
    await turn();
    const [look, repeat, write] = [client.call('deaf__look'), client.call('deaf__repeat'), client.call('deaf__write')];
    await turn();
    process.kill(before, 'SIGKILL');
    const data = { kind: 'server_error', retryable: true, serverName: 'deaf' };
    expect((await onItsWay).error).toMatchObject({ code: 1104, data });
    expect((await write).error).toMatchObject({ code: 1014, data });
    await untilState(gateway, 'deaf', 'ready');
    const now = String(pidOf(gateway, 'deaf'));
    expect([textIn(await look), textIn(await repeat)]).toEqual([now, now]);
    expect(now).not.toBe(String(before));
  });
});

test('a restarted server gets the log level and the subscriptions before any call', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect();
  await client.toolNames();
  await client.request('resources/list');
  await client.request('logging/setLevel', { level: 'warning' });
  await client.request('resources/subscribe', { uri: 'test://one/listed' });
  await client.request('resources/subscribe', { uri: 'test://shared' });
  await client.request('resources/unsubscribe', { uri: 'test://shared' });
  await client.call('one__die');
  const received = JSON.parse(textIn(await client.call('one__heard'))).map((line: string) => JSON.parse(line));
  const reported = received.filter(({ method }: Message) => /setLevel|subscribe|call/.test(method ?? ''));
  expect(reported.map(({ method, params }: Message) => ({ method, params }))).toEqual([
    { method: 'logging/setLevel', params: { level: 'warning' } },
    { method: 'resources/subscribe', params: { uri: 'test://one/listed' } },
    { method: 'tools/call', params: { name: 'heard', arguments: {} } },
  ]);
  expect(received[1].method).toBe('notifications/initialized');
  await client.call('one__touch', { uri: 'test://one/listed' });
  expect(client.notifications('notifications/resources/updated').map(({ params }) => params)).toEqual([
    { uri: 'test://one/listed' },
  ]);
});

describe('a server that crashes repeatedly', () => {
  test('is started at once for a call, and after five crashes calls fail at once until a probe succeeds', async () => {
    const folder = newFolder();
    const { connect, gateway } = openGateway({ ill: fixture('crashes-until-fixed', folder) });
    const client = await connect();
    // The first start and the immediate second one. Each call then restarts it, long before its delay has passed.
    const errors = [await call(client), await call(client), await call(client), await call(client)];
    for (const error of errors)
      expect(error).toMatchObject({ code: 1014, data: { kind: 'server_error', retryable: true } });
    const starts = () => readFileSync(join(folder, 'starts'), 'utf8').trim().split('\n').length;
    const before = starts();
    expect(before).toBeGreaterThanOrEqual(5);
    const refused = await call(client);
    expect(refused).toMatchObject({ code: 1014, data: { retryable: true, serverName: 'ill' } });
    expect(refused?.message).toContain('crashes-until-fixed: still ill');
    expect(refused?.message).toContain('retried from time to time');
    writeFileSync(join(folder, 'healed'), '');
    await expect.poll(() => statusOf(gateway, 'ill').state, { timeout: 30_000 }).toBe('ready');
    expect((await client.call('ill__echo', { text: 'well again' })).result.content[0].text).toBe('well again');
  });
});

async function call(client: TestClient): Promise<Message['error']> {
  return (await client.call('ill__echo', { text: 'hello?' })).error;
}

function textIn({ result }: Message): string {
  return result.content[0].text;
}

/** Resolves when everything sent in this turn has been written. */
function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-'));
  folders.push(folder);
  return folder;
}
