import { expect, test } from 'vitest';
import { AppError } from '../../base/errors.ts';
import { createKeyedQueue } from './keyed-queue.ts';

const patient = { maxWaitMs: 30_000, timeoutError: () => new AppError('BUSY', 'too long') };

test('runs work with the same key in order, and other keys in parallel', async () => {
  const turns = createKeyedQueue();
  const seen: string[] = [];
  let finish = () => {};
  const first = turns.run('a', { ...patient, work: () => new Promise<void>((resolve) => (finish = resolve)) });
  const second = turns.run('a', { ...patient, work: async () => void seen.push('second') });
  await turns.run('b', { ...patient, work: async () => void seen.push('other') });
  await Promise.resolve();
  expect(seen).toEqual(['other']);
  finish();
  await Promise.all([first, second]);
  expect(seen).toEqual(['other', 'second']);
});

test('rejects work that waits too long, never starts it, and keeps the order', async () => {
  const turns = createKeyedQueue();
  const seen: string[] = [];
  let finish = () => {};
  const first = turns.run('a', { ...patient, work: () => new Promise<void>((resolve) => (finish = resolve)) });
  const hasty = turns.run('a', { ...patient, maxWaitMs: 5, work: async () => void seen.push('hasty') });
  await expect(hasty).rejects.toThrow('too long');
  const last = turns.run('a', { ...patient, work: async () => void seen.push('last') });
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(seen).toEqual([]);
  finish();
  await Promise.all([first, last]);
  expect(seen).toEqual(['last']);
});
