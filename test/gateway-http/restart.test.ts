import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { testHomes } from '../gateway/run-cli.ts';
import { isAlive, trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { openHttpProcess } from './http-process.ts';
import { RawClient } from './raw-client.ts';

const processes = trackProcesses();
const newHome = testHomes(processes);
const servers = { one: fixture('well-behaved') };
const WITHIN = { timeout: 40_000, interval: 50 };

verifies(
  'gateway:http:planned-restart',
  'a planned restart loses no request of clients that keep calling, and no session',
  async () => {
    const opened = await openHttpProcess({ home: newHome(), processes, servers });
    const clients = [new RawClient(opened.url, 'legacy'), new RawClient(opened.url, 'modern')];
    await clients[0]?.initialize();
    let isOver = false;
    const answers = new Map<string, number>();
    const lanes = clients.flatMap((client) =>
      Array.from({ length: 4 }, async (_, lane) => {
        for (let round = 0; !isOver; round++) {
          const text = `${client.era}-${lane}-${round}`;
          const { result } = await client.call('one__echo', { text });
          expect(result?.content).toEqual([{ type: 'text', text }]);
          answers.set(client.era, (answers.get(client.era) ?? 0) + 1);
        }
      }),
    );
    const answered = async () => {
      const before = new Map(answers);
      await vi.waitFor(() => {
        for (const era of ['legacy', 'modern'])
          expect(answers.get(era) ?? 0).toBeGreaterThan((before.get(era) ?? 0) + 20);
      }, WITHIN);
    };
    const pids = [opened.gateway.pid];
    try {
      for (let restart = 0; restart < 3; restart++) {
        await answered();
        pids.push(await opened.restart());
      }
      await answered();
    } finally {
      isOver = true;
    }
    await Promise.all(lanes);
    expect(new Set(pids).size).toBe(4);
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([true, false, false, true]), WITHIN);
    expect(await opened.stop()).toBe(143);
  },
);

function isLog(message: unknown): boolean {
  return JSON.stringify(message).includes('notifications/message');
}

/** Keeps the stream of the server open over restarts. Returns the messages on it. */
function listenAlways(client: RawClient, signal: AbortSignal): unknown[] {
  const listener = new RawClient(client.url, 'legacy');
  listener.sessionId = client.sessionId;
  const received: unknown[] = [];
  listener.onMessage = (message) => received.push(message);
  void (async () => {
    while (!signal.aborted) await listener.listen(signal).then(({ ended }) => ended);
  })().catch(() => {});
  return received;
}

verifies(
  'gateway:http:planned-restart',
  'a session gets one warning after a restart, and a call that takes long finishes in the old process',
  async () => {
    const opened = await openHttpProcess({ home: newHome(), processes, servers });
    const client = new RawClient(opened.url, 'legacy');
    await client.initialize();
    const over = new AbortController();
    const received = listenAlways(client, over.signal);
    const call = client.call('one__slow', { ms: 3_000 });
    await client.call('one__echo', { text: 'x' });
    const pid = await opened.restart();
    expect((await client.call('one__echo', { text: 'y' })).result.content[0].text).toBe('y');
    expect((await call).result.content[0].text).toBe('slept 3000 ms');
    const data = 'The gateway was restarted. What its servers kept in memory for this session is lost.';
    const warning = { method: 'notifications/message', params: { level: 'warning', logger: 'switchboard', data } };
    const warnings = () => received.filter((message) => isLog(message));
    await vi.waitFor(() => expect(warnings()).toMatchObject([warning]), WITHIN);
    // The process that serves passes the signal on.
    process.kill(pid, 'SIGUSR2');
    await vi.waitFor(() => expect(warnings()).toMatchObject([warning, warning]), WITHIN);
    over.abort();
    expect(await opened.stop()).toBe(143);
  },
);

verifies(
  'gateway:http:restored-lists',
  'after a restart, a session is told that its lists may have changed',
  async () => {
    const opened = await openHttpProcess({ home: newHome(), processes, servers });
    const client = new RawClient(opened.url, 'legacy');
    await client.initialize();
    await client.request('tools/list', {});
    const over = new AbortController();
    await opened.kill();
    await opened.start();
    const received = listenAlways(client, over.signal);
    const changed = expect.objectContaining({ method: 'notifications/tools/list_changed' });
    await vi.waitFor(() => expect(received).toContainEqual(changed), WITHIN);
    over.abort();
    await opened.stop();
  },
);

describe('a restart that is not possible changes nothing', () => {
  test('because the new config is not valid', async () => {
    const home = newHome();
    const opened = await openHttpProcess({ home, processes, servers });
    const client = new RawClient(opened.url, 'legacy');
    await client.initialize();
    writeFileSync(join(home.folder, 'config.json'), '{');
    process.kill(opened.gateway.pid, 'SIGUSR2');
    await vi.waitFor(
      () => expect(opened.gateway.stderr).toContain('The restart failed, and nothing has changed.'),
      WITHIN,
    );
    expect((await client.call('one__echo', { text: 'x' })).result.content[0].text).toBe('x');
    await opened.stop();
  });

  test.each([
    ['is not JSON', '{ bad'],
    ['has a newer version', '{"version":99}'],
  ])('because the config of the user %s', async (_, text) => {
    const home = newHome();
    const opened = await openHttpProcess({ home, processes, servers, isUserConfig: true });
    const client = new RawClient(opened.url, 'legacy');
    await client.initialize();
    writeFileSync(join(home.folder, 'config.json'), text);
    process.kill(opened.gateway.pid, 'SIGUSR2');
    await vi.waitFor(
      () => expect(opened.gateway.stderr).toContain('The restart failed, and nothing has changed.'),
      WITHIN,
    );
    expect((await client.call('one__echo', { text: 'x' })).result.content[0].text).toBe('x');
    await opened.stop();
    const again = await opened.start();
    const { stderr } = again;
    expect(stderr.slice(0, stderr.indexOf('Listening on'))).toContain('config.json');
    await opened.stop();
  });

  test('because the system has chosen the port', async () => {
    const opened = await openHttpProcess({ home: newHome(), processes, servers, port: 0 });
    process.kill(opened.gateway.pid, 'SIGUSR2');
    await vi.waitFor(() => expect(opened.gateway.stderr).toContain('cannot be restarted now'), WITHIN);
    expect(opened.gateway.stderr).toContain('--http 4747');
    await opened.stop();
  });
});

describe('after a restart', () => {
  test('killing the process that listens frees the port, and the next gateway continues the sessions', async () => {
    const opened = await openHttpProcess({ home: newHome(), processes, servers });
    const client = new RawClient(opened.url, 'legacy');
    await client.initialize();
    const pid = await opened.restart();
    await client.call('one__echo', { text: 'x' });
    await opened.kill();
    await opened.start();
    expect((await client.call('one__echo', { text: 'y' })).result.content[0].text).toBe('y');
    await vi.waitFor(() => expect(isAlive(pid)).toBe(false), WITHIN);
    await opened.stop();
  });

  test('killing the process that serves ends the gateway with an error', async () => {
    const opened = await openHttpProcess({ home: newHome(), processes, servers });
    process.kill(await opened.restart(), 'SIGKILL');
    expect((await opened.gateway.exited).code).toBe(1);
    expect(opened.gateway.stderr).toContain('was killed by SIGKILL');
  });
});

test.each(['http-session.key', 'http-sessions-<port>.jsonl'])(
  'if %s is lost, sessions end with 404, and the gateway says so',
  async (name) => {
    const home = newHome();
    const opened = await openHttpProcess({ home, processes, servers });
    const client = new RawClient(opened.url, 'legacy');
    await client.initialize();
    await opened.kill();
    rmSync(join(home.folder, 'own', name.replace('<port>', String(opened.port))));
    await opened.start();
    expect((await client.exchange('tools/list')).status).toBe(404);
    expect(opened.gateway.stderr).toContain('Earlier HTTP sessions have ended.');
    await opened.stop();
  },
);
