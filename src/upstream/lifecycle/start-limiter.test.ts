import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStartLimiter, type StartLimiter } from './start-limiter.ts';

/** Several servers that want to start, and in which order they were allowed to. */
function queueUp(launcher: StartLimiter, names: readonly string[]) {
  const granted: string[] = [];
  const turns = new Map(
    names.map((name) => {
      const turn = launcher.enter();
      void turn.granted.then(() => granted.push(name));
      return [name, turn];
    }),
  );
  const turn = (name: string) => turns.get(name) ?? launcher.enter();
  return { granted, turn };
}

const loops = async (count: number) => {
  for (let loop = 0; loop < count; loop++) await turnOfLoop();
};

test('no more start together than may, each in a turn of the event loop of its own', async () => {
  const { granted, turn } = queueUp(createStartLimiter({ atOnce: 2, longestMs: 60_000 }), ['a', 'b', 'c']);
  expect(granted).toEqual([]);
  await loops(1);
  expect(granted.length).toBeLessThan(2);
  await loops(10);
  expect(granted).toEqual(['a', 'b']);
  turn('b').leave();
  turn('b').leave();
  await loops(5);
  expect(granted).toEqual(['a', 'b', 'c']);
});

test('one that somebody waits for goes first', async () => {
  const { granted, turn } = queueUp(createStartLimiter({ atOnce: 1, longestMs: 60_000 }), ['a', 'b', 'c', 'd']);
  await loops(5);
  turn('c').hurry();
  turn('a').leave();
  await loops(5);
  expect(granted).toEqual(['a', 'c']);
});

test('one that takes long lets the next one begin', async () => {
  const { granted } = queueUp(createStartLimiter({ atOnce: 1, longestMs: 20 }), ['hangs', 'next']);
  await expect.poll(() => granted).toEqual(['hangs', 'next']);
});

test('one that is no longer wanted leaves the queue and keeps nobody', async () => {
  const { granted, turn } = queueUp(createStartLimiter({ atOnce: 1, longestMs: 60_000 }), ['a', 'b', 'c']);
  await loops(5);
  turn('b').leave();
  await turn('b').granted;
  turn('a').leave();
  await loops(5);
  expect(granted).toEqual(['a', 'b', 'c']);
});
