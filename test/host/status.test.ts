import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { toolName } from '../../src/host/tools/tool-name.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, WITHIN } from './host-harness.ts';

const { openHost, openFixture, newFolder } = hostHarness();

describe('the status of a host', () => {
  verifies(
    ['host:status:library', 'host:status:states'],
    'reports the current state of every configured server',
    async () => {
      const server = await openFixture('well-behaved');
      const config = configOf({
        ready: fixture('well-behaved'),
        far: { url: server.url },
        off: { ...fixture('well-behaved'), enabled: false },
        starting: fixture('hangs-at-initialize'),
        ill: fixture('dies-at-start'),
        broken: { command: 5 },
      });
      const host = await openHost({ config });
      const states = () => Object.fromEntries(host.list().map(({ id, state }) => [id, state]));
      await expect.poll(states, WITHIN).toEqual({
        ready: 'ready',
        far: 'ready',
        off: 'disabled',
        starting: 'connecting',
        ill: 'error',
        broken: 'error',
      });
      await expect.poll(() => host.list().map(({ tools }) => tools), WITHIN).toEqual([3, 8, 0, 0, 0, 0]);
      const echo = (await host.tools({ timeoutMs: 0 })).find(({ name }) => name.startsWith('mcp_ready_echo_'));
      expect(await echo?.run({ text: 'a' })).toMatchObject({ text: 'a' });
      // It is restarted periodically.
      await expect.poll(() => states()['ill'], WITHIN).toBe('error');
      const rows = host.list().map(({ note: _, next: __, p50Ms: ___, ...row }) => row);
      const common = { source: 'program', enabled: true, tools: 0, calls: 0, underWay: 0 };
      expect(rows).toEqual([
        { ...common, id: 'ready', transport: 'stdio', state: 'ready', tools: 3, calls: 1 },
        { ...common, id: 'far', transport: 'http', state: 'ready', tools: 8 },
        { ...common, id: 'off', transport: 'stdio', enabled: false, state: 'disabled' },
        { ...common, id: 'starting', transport: 'stdio', state: 'connecting' },
        { ...common, id: 'ill', transport: 'stdio', state: 'error' },
        { ...common, id: 'broken', transport: undefined, enabled: false, state: 'error' },
      ]);
      expect(
        host
          .list()
          .filter(({ state }) => state === 'error')
          .map(({ note }) => typeof note),
      ).toEqual(['string', 'string']);
    },
  );

  test('marks a server as degraded if it cannot list its tools, and requests the list again on demand', async () => {
    const config = configOf({ bad: fixture('fails-at-list', '1000000'), late: fixture('fails-at-list', '1') });
    const host = await openHost({ config });
    const row = (id: string) => host.list().find((server) => server.id === id);
    await expect
      .poll(() => row('bad'), WITHIN)
      .toMatchObject({
        state: 'degraded',
        note: 'tools/list failed: getaddrinfo ENOTFOUND api.example.com',
      });
    await expect.poll(() => row('late')?.state, WITHIN).toMatch(/degraded|ready/);
    expect(await host.run(toolName('late', 'echo'), { text: 'hi' })).toMatchObject({ text: 'hi' });
  });

  test('requests a list once more if it fails while a call waits for it', async () => {
    const host = await openHost({ config: configOf({ late: fixture('fails-at-list', '1') }) });
    expect(host.list()).toMatchObject([{ state: 'connecting' }]);
    expect(await host.run(toolName('late', 'echo'), { text: 'hi' })).toMatchObject({ text: 'hi' });
  });

  verifies('host:status:library', 'reports everything about one server', async () => {
    const folder = newFolder();
    const file = join(folder, 'config.json');
    const servers = {
      one: { transport: 'stdio', ...fixture('well-behaved'), env: { API_TOKEN: 'correct-horse-battery' } },
    };
    writeFileSync(file, JSON.stringify({ version: 1, mcp: { servers } }, undefined, 2));
    const host = await openHost({ config: file });
    await call(host, 'one', 'add', { a: 1, b: 2 });
    const detail = host.get('one');
    expect([detail.p50Ms, host.list()[0]?.p50Ms]).toEqual(Array(2).fill(Number(detail.p50Ms?.toFixed(1))));
    expect(detail).toMatchObject({
      id: 'one',
      source: 'explicit',
      state: 'ready',
      calls: 1,
      p50Ms: expect.any(Number),
      configured: `${file}:5`,
      where: expect.stringMatching(/^pid \d+$/),
      protocolVersion: '2025-11-25',
      era: 'legacy',
      serverInfo: 'well-behaved 1.0.0',
      restarts: 0,
      lastConnectedAt: expect.any(Number),
      toolList: [
        { name: 'echo', badges: [], rewrites: [] },
        { name: 'add', badges: ['read-only', 'idempotent'], rewrites: [] },
        { name: 'slow', badges: [], rewrites: [] },
      ],
    });
    expect(detail.settings.map(({ key }) => key)).toEqual(expect.arrayContaining(['command', 'env.API_TOKEN']));
    expect(JSON.stringify(detail)).not.toContain('correct-horse-battery');
    expect(() => host.get('two')).toThrow(/There is no server two \(configured: one\)\./);
    expect(() => host.get('two\u001b[2J')).toThrow(/There is no server two \(configured/);
  });

  verifies('host:status:during-call', 'is available at once during calls', async () => {
    const host = await openHost({ config: configOf({ one: fixture('hangs-at-call') }) });
    const stop = new AbortController();
    const tool = (await host.tools()).find(({ origin }) => origin?.tool === 'hang');
    const hanging = tool?.run({}, { signal: stop.signal });
    await expect.poll(() => host.list(), WITHIN).toMatchObject([{ state: 'ready', underWay: 1, calls: 0 }]);
    stop.abort();
    expect(await hanging).toMatchObject({ is_error: true });
    expect(host.list()).toMatchObject([{ state: 'ready', underWay: 0 }]);
  });

  test('of an inline config names no file', async () => {
    const host = await openHost({ config: { mcpServers: { one: fixture('well-behaved') } } });
    expect(host.get('one')).toMatchObject({ configured: 'config', source: 'program' });
  });
});
