import { getEventListeners, once } from 'node:events';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { PermissionQuestion } from '../../src/host/index.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { call, configOf, hostHarness, linesOf, recorder, toolOf, WITHIN } from './host-harness.ts';

const { openHost, openFixture, newFolder } = hostHarness();

const fail = () => {
  throw new Error('the application has a fault');
};

describe('an application', () => {
  test('whose callbacks throw breaks neither a call nor the connection', async () => {
    const config = configOf({ one: fixture('changes-its-list') });
    const permissions = { rules: [{ decide: 'allow' }], onDecision: fail } as const;
    const host = await openHost({ config, permissions, log: fail, logLevel: 'debug', onChange: fail });
    expect(await call(host, 'one', 'grow')).toMatchObject({ is_error: false, text: 'grown-1' });
    expect(await call(host, 'one', 'grown-1')).toMatchObject({ is_error: false, text: 'I am grown-1' });
    expect(host.list()).toMatchObject([{ state: 'ready' }]);
    expect(host.get('one').restarts).toBe(0);
  });

  test.each(['near', 'far'])(
    'that throws in the progress callback of a %s call still gets the result',
    async (where) => {
      const server = await openFixture('well-behaved');
      const host = await openHost({ config: configOf({ near: fixture('well-behaved'), far: { url: server.url } }) });
      const slow = await toolOf(host, where, 'slow');
      expect(await slow.run({ ms: 40 }, { onProgress: fail })).toMatchObject({ is_error: false, text: 'slept 40 ms' });
      expect(host.get(where).restarts).toBe(0);
    },
  );

  test('with arguments that cannot be serialized gets an error, and nothing is sent', async () => {
    const file = join(newFolder(), 'calls');
    const host = await openHost({ config: configOf({ one: recorder(file) }) });
    const echo = await toolOf(host, 'one', 'echo');
    const circular: Record<string, unknown> = {};
    circular['self'] = circular;
    const unwritable = [
      circular,
      { big: 1n },
      { toJSON: fail },
      Object.defineProperty({}, 'a', { enumerable: true, get: fail }),
    ];
    for (const args of unwritable) expect(await echo.run(args)).toMatchObject({ is_error: true });
    expect(existsSync(file)).toBe(false);
    expect(await echo.run({ text: 'well' })).toMatchObject({ is_error: false, text: 'well' });
  });

  test('that closes the host during a confirmation gets an error, and nothing is called', async () => {
    const file = join(newFolder(), 'calls');
    const questions: PermissionQuestion[] = [];
    const confirm = (question: PermissionQuestion) => {
      questions.push(question);
      return new Promise<boolean>(() => {});
    };
    const host = await openHost({ config: configOf({ one: recorder(file) }), permissions: { confirm } });
    const echo = await toolOf(host, 'one', 'echo');
    const runs = [echo.run({ text: 'a' }), echo.run({ text: 'b' })];
    await expect.poll(() => questions.length, WITHIN).toBe(1);
    await host.close();
    const late = once(AbortSignal.timeout(3_000), 'abort').then(() => expect.fail('somebody still waits'));
    expect(await Promise.race([Promise.all(runs), late])).toMatchObject([{ is_error: true }, { is_error: true }]);
    expect(existsSync(file)).toBe(false);
  });

  test('that reuses one signal adds no listeners to it', async () => {
    const host = await openHost({ config: configOf({ one: fixture('well-behaved') }) });
    const { signal } = new AbortController();
    for (let run = 0; run < 20; run++) {
      const tool = (await host.tools({ signal })).find(({ origin }) => origin?.tool === 'echo');
      await tool?.run({ text: 'a' }, { signal });
    }
    await host.resources.read('test://x', { signal }).catch(() => {});
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });

  test('that makes many concurrent calls gets each result where it belongs', async () => {
    const folder = newFolder();
    const server = await openFixture('well-behaved');
    const host = await openHost({
      config: configOf({ near: recorder(join(folder, 'calls')), far: { url: server.url } }),
    });
    const [near, far] = [await toolOf(host, 'near', 'echo'), await toolOf(host, 'far', 'echo')];
    const texts = Array.from({ length: 200 }, (_, index) => `text ${index}`);
    const messages = await Promise.all(texts.flatMap((text) => [near.run({ text }), far.run({ text })]));
    expect(messages.map(({ text }) => text)).toEqual(texts.flatMap((text) => [text, text]));
    expect(linesOf(join(folder, 'calls'))).toHaveLength(texts.length);
    expect(host.list()).toMatchObject([
      { calls: 200, underWay: 0 },
      { calls: 200, underWay: 0 },
    ]);
  });
});

verifies(['host:call:timeout', 'config:own:timeout'], 'a call has the timeout of its entry', async () => {
  const far = await openFixture('hangs-at-headers', '--at', 'tools/call');
  const host = await openHost({
    config: configOf({
      near: { ...fixture('hangs-at-call'), request_timeout_ms: 2_000 },
      far: { url: far.url, request_timeout_ms: 2_000 },
    }),
  });
  expect(await call(host, 'near', 'hang')).toMatchObject({
    is_error: true,
    text: expect.stringMatching(/within \d+ m?s/),
  });
  expect(await call(host, 'far', 'echo')).toMatchObject({
    is_error: true,
    text: expect.stringMatching(/within \d+ m?s/),
  });
});
