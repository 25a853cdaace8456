import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from './errors.ts';
import { createChanges, pollEvery, waitUntil } from './wait-until.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('rejects with the reason of the signal, before and during the wait, and stops listening', async () => {
  const reason = new AppError('CANCELLED', 'given up');
  const source = createSource();
  await expect(waitUntil(source, () => true, { timeoutMs: 10, signal: AbortSignal.abort(reason) })).rejects.toBe(
    reason,
  );
  const controller = new AbortController();
  const waiting = waitUntil(source, () => false, { timeoutMs: 10, signal: controller.signal });
  const outcome = expect(waiting).rejects.toBe(reason);
  controller.abort(reason);

  await outcome;
  expect([source.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('resolves with false on timeout', async () => {
  const source = createSource();
  const waiting = waitUntil(source, () => false, { timeoutMs: 10 });
  await vi.advanceTimersByTimeAsync(10);

  expect(await waiting).toBe(false);
  expect(source.listeners.size).toBe(0);
});

test('resolves with true at once, or as soon as a change makes the condition true', async () => {
  const source = createSource();
  expect(await waitUntil(source, () => true, { timeoutMs: 10 })).toBe(true);
  expect(source.listeners.size).toBe(0);
  let isSo = false;
  const waiting = waitUntil(source, () => isSo, { timeoutMs: 10, signal: new AbortController().signal });
  source.change();
  isSo = true;
  source.change();

  expect(await waiting).toBe(true);
  expect([source.listeners.size, vi.getTimerCount()]).toEqual([0, 0]);
});

test('all changes of one turn are reported once, after the turn', async () => {
  const changes = createChanges();
  const values: number[] = [];
  let value = 0;
  const stop = changes.onChange(() => values.push(value));
  for (value of [1, 2, 3]) changes.changed();
  await Promise.resolve();
  changes.changed();
  await Promise.resolve();
  stop();
  changes.changed();
  await Promise.resolve();

  expect(values).toEqual([3, 3]);
});

test('a condition that nothing reports is polled, and no longer when it holds', async () => {
  let isSo = false;
  const waiting = waitUntil(pollEvery(5), () => isSo, { timeoutMs: Number.MAX_SAFE_INTEGER });
  await vi.advanceTimersByTimeAsync(20);
  isSo = true;
  await vi.advanceTimersByTimeAsync(5);

  expect(await waiting).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

function createSource() {
  const listeners = new Set<() => void>();
  return {
    listeners,
    change: () => {
      for (const listener of listeners) listener();
    },
    onChange(listener: () => void) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
