import { expect, test } from 'vitest';
import { mapLimited } from './map-limited.ts';

test('returns results in the order of the items', async () => {
  const run = async (ms: number) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return ms;
  };
  expect(await mapLimited([30, 1, 15], 3, run)).toEqual([30, 1, 15]);
  expect(await mapLimited([], 3, run)).toEqual([]);
});

test('runs no more than the limit at once', async () => {
  let running = 0;
  let most = 0;
  await mapLimited(Array.from({ length: 20 }), 4, async () => {
    most = Math.max(most, ++running);
    await new Promise((resolve) => setImmediate(resolve));
    running--;
  });
  expect([most, running]).toEqual([4, 0]);
});

test('rejects with the first failure', async () => {
  await expect(mapLimited([1, 2], 1, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
});
