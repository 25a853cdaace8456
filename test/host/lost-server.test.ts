import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { ofMethod } from '../http/harness.ts';
import { isAlive } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, linesOf, recorder, toolOf, WITHIN } from './host-harness.ts';

const { openHost, openFixture, reopenFixture, newFolder } = hostHarness();

describe('a server that is lost during a run', () => {
  verifies(
    ['host:connect:lost', 'host:connect:lost-during-call', 'host:connect:reconnect'],
    'over stdio fails only its own call, and restarts',
    async () => {
      const folder = newFolder();
      const [first, second, released] = ['one', 'two', 'released'].map((name) => join(folder, name));
      if (first === undefined || second === undefined || released === undefined) expect.fail();
      const host = await openHost({ config: configOf({ one: recorder(first), two: recorder(second) }) });
      const lost = call(host, 'one', 'wait');
      const kept = call(host, 'two', 'until', { file: released });
      for (const file of [first, second]) await expect.poll(() => linesIn(file), WITHIN).toHaveLength(1);
      const pid = linesOf(first)[0]?.pid ?? 0;
      process.kill(pid, 'SIGKILL');
      expect(await lost).toMatchObject({ is_error: true, text: expect.stringMatching(/one\b.*SIGKILL/) });
      writeFileSync(released, '');
      expect(await kept).toMatchObject({ is_error: false, text: 'at last' });
      expect(await call(host, 'one', 'echo', { text: 'back' })).toMatchObject({ is_error: false, text: 'back' });
      expect(isAlive(pid)).toBe(false);
      // It was not called twice.
      expect(linesOf(first).filter(({ call: tool }) => tool === 'wait')).toHaveLength(1);
    },
  );

  verifies(
    ['host:connect:lost', 'host:connect:lost-during-call', 'host:connect:reconnect'],
    'over HTTP fails only its own call, and reconnects',
    async () => {
      const server = await openFixture('well-behaved');
      const other = await openFixture('well-behaved');
      const host = await openHost({ config: configOf({ one: { url: server.url }, two: { url: other.url } }) });
      const lost = call(host, 'one', 'slow', { ms: 60_000 });
      await expect.poll(async () => ofMethod(await server.requests(), 'tools/call').length, WITHIN).toBe(1);
      server.process.kill('SIGKILL');
      await once(server.process, 'exit');
      expect(await lost).toMatchObject({ is_error: true, text: expect.stringContaining('one') });
      expect(await call(host, 'two', 'echo', { text: 'here' })).toMatchObject({ is_error: false, text: 'here' });
      const again = await reopenFixture('well-behaved', server);
      await expect
        .poll(async () => (await call(host, 'one', 'echo', { text: 'back' })).text, { ...WITHIN, timeout: 30_000 })
        .toBe('back');
      expect(ofMethod(await again.requests(), 'tools/call').filter(({ body }) => body.includes('slow'))).toEqual([]);
    },
  );

  test('on HTTP by its session alone is reconnected, and the next call works', async () => {
    const server = await openFixture('well-behaved');
    const host = await openHost({ config: configOf({ one: { url: server.url } }) });
    expect(await call(host, 'one', 'echo', { text: 'a' })).toMatchObject({ text: 'a' });
    await server.control('/_forget');
    await expect.poll(async () => (await call(host, 'one', 'echo', { text: 'b' })).text, WITHIN).toBe('b');
  });

  test('and does not come back is an error with the reason', async () => {
    const host = await openHost({
      config: configOf({
        ill: fixture('dies-at-start'),
        well: fixture('well-behaved'),
        none: { command: 'no-such-program-here' },
      }),
    });
    const echo = await toolOf(host, 'well', 'echo');
    expect(await echo.run({ text: 'fine' })).toMatchObject({ text: 'fine' });
    await expect
      .poll(() => host.list().map(({ id, state }) => [id, state]), WITHIN)
      .toEqual([
        ['ill', 'error'],
        ['well', 'ready'],
        ['none', 'error'],
      ]);
    // It is restarted periodically, and may be writing its output at this moment.
    await expect
      .poll(() => host.get('ill'), WITHIN)
      .toMatchObject({
        lastError: { message: expect.stringContaining('exit code 3') },
        lastWords: ['dies-at-start: API_KEY is not set', 'See the README.'],
      });
    await expect
      .poll(() => host.get('none'), WITHIN)
      .toMatchObject({ note: expect.stringContaining('no-such-program-here') });
  });
});

function linesIn(file: string) {
  try {
    return linesOf(file);
  } catch {
    // Nothing has arrived yet.
    return [];
  }
}
