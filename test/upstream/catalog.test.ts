import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createCatalog } from '../../src/upstream/catalog/catalog.ts';
import type { ListKind } from '../../src/upstream/catalog/listing.ts';
import { behave, type Json, openUpstream, type ServerRun } from './scripted-server.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

const wait = (ms = 0) => vi.advanceTimersByTimeAsync(ms);

async function open(onList: (message: Json, life: ServerRun) => void) {
  const { upstream, life } = openUpstream({
    onMessage: (message, own) => (message['method'] === 'tools/list' ? onList(message, own) : behave(message, own)),
  });
  const changes: ListKind[] = [];
  const catalog = createCatalog(upstream, (kind) => changes.push(kind));
  upstream.start();
  await wait();
  const asked = () => life(1).received.filter(({ method }) => method === 'tools/list').length;
  return { upstream, catalog, changes, asked, life };
}

const tools = (...names: string[]) => ({ tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) });

test('requests only the lists that a server declared', async () => {
  const { catalog, changes, life } = await open(({ id }, own) => own.answer(id, tools('a')));
  catalog.connected();
  await wait();
  expect(life(1).received.map(({ method }) => method)).toEqual([
    'initialize',
    'notifications/initialized',
    'tools/list',
  ]);
  expect(changes.toSorted()).toEqual(['prompts', 'resourceTemplates', 'resources', 'tools']);
  expect(catalog.list('tools').items.map(({ key }) => key)).toEqual(['a']);
  expect(catalog.list('prompts')).toEqual({ items: [], quarantined: [], repairs: [] });
});

test('ten thousand changes in a second cause about ten requests', async () => {
  const { catalog, changes, asked } = await open(({ id }, own) => own.answer(id, tools('a')));
  for (let ms = 0; ms < 1_000; ms++) {
    for (let count = 0; count < 10; count++) catalog.changed('tools');
    await wait(1);
  }
  await wait(200);
  expect(asked()).toBeGreaterThan(5);
  expect(asked()).toBeLessThanOrEqual(11);
  expect(changes).toHaveLength(asked());
});

test('a change during a list request is read too', async () => {
  let held: (() => void) | undefined;
  const lists = [tools('a'), tools('a', 'b')];
  const { catalog, asked } = await open(({ id }, own) => {
    held = () => own.answer(id, lists.shift());
  });
  catalog.changed('tools');
  await wait();
  catalog.changed('tools');
  catalog.changed('tools');
  held?.();
  await wait();
  expect(asked()).toBe(1);
  await wait(100);
  held?.();
  await wait();
  expect(asked()).toBe(2);
  expect(catalog.list('tools').items.map(({ key }) => key)).toEqual(['a', 'b']);
  await wait(1_000);
  expect(asked()).toBe(2);
});

test('a list that times out is reported as a problem, and the previous list stays', async () => {
  let isMute = false;
  const { catalog } = await open(({ id }, own) => (isMute ? undefined : own.answer(id, tools('a'))));
  catalog.changed('tools');
  await wait();
  isMute = true;
  await wait(100);
  catalog.changed('tools');
  await wait(60_100);
  expect(catalog.problems()).toEqual(['tools/list failed: one did not answer tools/list within 60 s.']);
  expect(catalog.list('tools').items.map(({ key }) => key)).toEqual(['a']);
  isMute = false;
  catalog.changed('tools');
  await wait(200);
  expect(catalog.problems()).toEqual([]);
});

test('a failed list is requested again with a doubling backoff until it succeeds', async () => {
  let isWell = false;
  const { catalog, asked } = await open(({ id }, own) => {
    own.answer(id, isWell ? tools('a') : { oops: true });
  });
  catalog.connected();
  await wait(999);
  expect([asked(), catalog.hasFailed('tools'), catalog.isListed('tools')]).toEqual([1, true, true]);
  await wait(1);
  expect(asked()).toBe(2);
  await wait(1_999);
  expect(asked()).toBe(2);
  isWell = true;
  await wait(1);
  expect([asked(), catalog.hasFailed('tools'), catalog.problems()]).toEqual([3, false, []]);
  await wait(120_000);
  expect(asked()).toBe(3);
});

test('a failed list is requested at once on demand, and counts as not listed meanwhile', async () => {
  let isWell = false;
  const { catalog, asked } = await open(({ id }, own) => {
    own.answer(id, isWell ? tools('a') : { oops: true });
  });
  catalog.connected();
  await wait(500);
  isWell = true;
  catalog.retry('tools');
  expect(catalog.isListed('tools')).toBe(false);
  await wait();
  expect([asked(), catalog.isListed('tools'), catalog.list('tools').items.length]).toEqual([2, true, 1]);
  catalog.retry('tools');
  await wait(200);
  expect(asked()).toBe(2);
});
