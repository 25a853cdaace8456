import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../base/errors.ts';
import { waitUntil } from './until.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('rejects with the reason of the signal, before and while it waits, and listens no longer', async () => {
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

test('resolves with false when the time is over', async () => {
  const source = createSource();
  const waiting = waitUntil(source, () => false, { timeoutMs: 10 });
  await vi.advanceTimersByTimeAsync(10);

  expect(await waiting).toBe(false);
  expect(source.listeners.size).toBe(0);
});

test('resolves with true at once, or as soon as a change makes it so', async () => {
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
