import { once } from 'node:events';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { ofMethod } from '../http/harness.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, recorder, toolOf, WITHIN } from './host-harness.ts';

const { openHost, openFixture, newFolder, processes } = hostHarness();

describe('closing a host', () => {
  verifies('host:connect:close', 'stops everything that it started, and can be repeated', async () => {
    const config = configOf({ one: fixture('well-behaved'), two: fixture('ignores-term') });
    const host = await openHost({ config });
    expect(await call(host, 'one', 'echo', { text: 'a' })).toMatchObject({ text: 'a' });
    expect(processes.alive().length).toBeGreaterThan(0);
    await Promise.all([host.close(), host.close()]);
    await host.close();
    await expect.poll(() => processes.alive(), WITHIN).toEqual([]);
  });

  test('during calls turns each of them into an error', async () => {
    const server = await openFixture('well-behaved');
    const config = configOf({ near: fixture('hangs-at-call'), far: { url: server.url } });
    const host = await openHost({ config });
    const calls = [call(host, 'near', 'hang'), call(host, 'far', 'slow', { ms: 60_000 })];
    await expect.poll(async () => ofMethod(await server.requests(), 'tools/call').length, WITHIN).toBe(1);
    await expect.poll(() => host.list().map(({ underWay }) => underWay), WITHIN).toEqual([1, 1]);
    await host.close();
    expect(await Promise.all(calls)).toMatchObject([{ is_error: true }, { is_error: true }]);
    await expect.poll(() => server.control('/_sessions'), WITHIN).toEqual([]);
  });

  test('while servers are starting stops them, and ends pending waits for tools', async () => {
    const server = await openFixture('hangs-at-headers');
    const config = configOf({
      hanging: fixture('hangs-at-initialize'),
      slow: fixture('slow-start', '60000'),
      far: { url: server.url },
    });
    const host = await openHost({ config });
    const tools = host.tools();
    await expect.poll(() => processes.alive().length, WITHIN).toBeGreaterThanOrEqual(3);
    await host.close();
    const late = once(AbortSignal.timeout(3_000), 'abort').then(() => expect.fail('somebody still waits'));
    expect((await Promise.race([tools, late])).filter(({ origin }) => origin !== undefined)).toEqual([]);
  });

  test('at once, before anything was awaited, leaves no process', async () => {
    const host = await openHost({ config: configOf({ one: fixture('well-behaved') }) });
    await host.close();
    expect(host.list()).toHaveLength(1);
  });

  test('makes later calls fail at once', async () => {
    const file = join(newFolder(), 'calls');
    const host = await openHost({ config: configOf({ one: recorder(file) }) });
    const echo = await toolOf(host, 'one', 'echo');
    await host.close();
    expect(await echo.run({ text: 'a' })).toMatchObject({ is_error: true });
    expect(await host.run(echo.name, { text: 'a' })).toMatchObject({ is_error: true });
    await expect(host.resources.read('test://listed/0')).rejects.toThrow();
    await expect(host.prompts.get('one', 'greet-0')).rejects.toThrow();
  });

  test('empties all lists', async () => {
    const host = await openHost({ config: configOf({ one: recorder(join(newFolder(), 'calls')) }) });
    const lists = async () =>
      (await Promise.all([host.tools(), host.resources.list(), host.resources.templates(), host.prompts.list()])).map(
        ({ length }) => length > 0,
      );
    expect(await lists()).toEqual([true, true, true, true]);
    await host.close();
    expect(await lists()).toEqual([false, false, false, false]);
  });
});

test('two concurrent hosts share nothing', async () => {
  const config = configOf({ one: fixture('changes-its-list') });
  const [first, second] = [await openHost({ config }), await openHost({ config })];
  await call(first, 'one', 'grow');
  const grown = async (host: typeof first) => (await host.tools()).filter(({ name }) => name.includes('grown')).length;
  expect([await grown(first), await grown(second)]).toEqual([1, 0]);
  await first.close();
  expect(await call(second, 'one', 'grow')).toMatchObject({ is_error: false, text: 'grown-1' });
  expect(second.list()).toMatchObject([{ state: 'ready', calls: 1 }]);
});

test('waiting for tools times out', async () => {
  const config = configOf({ slow: fixture('slow-start', '60000'), one: fixture('well-behaved') });
  const host = await openHost({ config });
  await expect.poll(() => host.list().map(({ tools }) => tools), WITHIN).toEqual([0, 3]);
  const lists = [
    await host.tools({ timeoutMs: 50 }),
    await host.tools({ timeoutMs: 60_000, signal: AbortSignal.timeout(50) }),
    await host.tools({ timeoutMs: 60_000, signal: AbortSignal.abort() }),
  ];
  expect(lists.map((tools) => tools.filter(({ origin }) => origin !== undefined).length)).toEqual([3, 3, 3]);
});
