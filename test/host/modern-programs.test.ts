import { expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { ownServer } from '../interop/programs.ts';
import { call, configOf, hostHarness, WITHIN } from './host-harness.ts';

const { openHost } = hostHarness();

test('a program that speaks only 2026-07-28 is shown in its era', async () => {
  const host = await openHost({ config: configOf({ one: fixture('refuses-initialize') }) });
  expect(await call(host, 'one', 'echo', { text: 'a' })).toMatchObject({ is_error: false, text: 'a' });
  expect(host.get('one')).toMatchObject({
    state: 'ready',
    where: expect.stringMatching(/^pid \d+$/),
    protocolVersion: '2026-07-28',
    era: 'modern',
    serverInfo: 'refuses-initialize 1.0.0',
    restarts: 0,
  });
});

test('its questions reach the application, and the answers reach it', async () => {
  const roots = [{ uri: 'file:///work', name: 'work' }];
  const sampled = { role: 'assistant', content: { type: 'text', text: 'Hi' }, model: 'm' };
  const host = await openHost({
    config: configOf({ one: ownServer('modern-only') }),
    onElicitation: async () => ({ action: 'accept', content: { name: 'Ada' } }),
    onSampling: async () => sampled,
    roots,
  });
  const ask = async (kind: string) => JSON.parse((await call(host, 'one', 'ask', { kind })).text);
  expect(await ask('elicitation')).toEqual({ action: 'accept', content: { name: 'Ada' } });
  expect(await ask('sampling')).toMatchObject(sampled);
  expect(await ask('roots')).toEqual({ roots });
});

test('a new tool of it is offered', async () => {
  const host = await openHost({ config: configOf({ one: ownServer('modern-only') }) });
  await call(host, 'one', 'grow');
  const names = async () => (await host.tools()).map(({ origin }) => origin?.tool);
  await expect.poll(names, WITHIN).toContain('grown');
});

test('it is restarted when it dies, and its call is an error', async () => {
  const host = await openHost({ config: configOf({ one: fixture('refuses-initialize') }) });
  expect(await call(host, 'one', 'die')).toMatchObject({
    is_error: true,
    text: expect.stringContaining('exit code 7'),
  });
  expect(await call(host, 'one', 'echo', { text: 'again' })).toMatchObject({ is_error: false, text: 'again' });
});
