import { setImmediate as turnOfLoop } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { createStartLimiter, type StartLimiter } from './start-limiter.ts';

/** Several servers that want to start, and the order in which they were allowed to. */
function queueUp(startLimiter: StartLimiter, names: readonly string[]) {
  const granted: string[] = [];
  const turns = new Map(
    names.map((name) => {
      const turn = startLimiter.acquire();
      void turn.granted.then(() => granted.push(name));
      return [name, turn];
    }),
  );
  const turn = (name: string) => turns.get(name) ?? startLimiter.acquire();
  return { granted, turn };
}

const loops = async (count: number) => {
  for (let loop = 0; loop < count; loop++) await turnOfLoop();
};

test('limits concurrent starts, and begins each in its own event loop turn', async () => {
  const { granted, turn } = queueUp(createStartLimiter({ maxConcurrent: 2, maxHoldMs: 60_000 }), ['a', 'b', 'c']);
  expect(granted).toEqual([]);
  await loops(1);
  expect(granted.length).toBeLessThan(2);
  await loops(10);
  expect(granted).toEqual(['a', 'b']);
  turn('b').release();
  turn('b').release();
  await loops(5);
  expect(granted).toEqual(['a', 'b', 'c']);
});

test('starts a server with a waiting client first', async () => {
  const { granted, turn } = queueUp(createStartLimiter({ maxConcurrent: 1, maxHoldMs: 60_000 }), ['a', 'b', 'c', 'd']);
  await loops(5);
  turn('c').prioritize();
  turn('a').release();
  await loops(5);
  expect(granted).toEqual(['a', 'c']);
});

test('a slow start lets the next one begin', async () => {
  const { granted } = queueUp(createStartLimiter({ maxConcurrent: 1, maxHoldMs: 20 }), ['hangs', 'next']);
  await expect.poll(() => granted).toEqual(['hangs', 'next']);
});

test('a cancelled start leaves the queue and blocks no other', async () => {
  const { granted, turn } = queueUp(createStartLimiter({ maxConcurrent: 1, maxHoldMs: 60_000 }), ['a', 'b', 'c']);
  await loops(5);
  turn('b').release();
  await turn('b').granted;
  turn('a').release();
  await loops(5);
  expect(granted).toEqual(['a', 'b', 'c']);
});
