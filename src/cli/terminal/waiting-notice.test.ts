import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withWaitingNotice } from './waiting-notice.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open() {
  const reported: string[] = [];
  let finish = () => {};
  const late = ['slow', 'a b'];
  const work = () =>
    new Promise<string>((resolve) => {
      finish = () => resolve('done');
    });
  const waited = withWaitingNotice(
    () => late,
    (text) => reported.push(text),
    work,
  );
  return { reported, late, waited, finish: () => finish() };
}

test('names a late server once, after one second', async () => {
  const { reported, waited, finish, late } = open();
  vi.advanceTimersByTime(900);
  expect(reported).toEqual([]);
  late.shift();
  vi.advanceTimersByTime(60_000);
  finish();
  expect([await waited, reported]).toEqual(['done', ['Waiting for "a b" …']]);
});

test('prints nothing if all are in time, and passes on failures', async () => {
  const { reported, waited, finish } = open();
  finish();
  await waited;
  const failed = withWaitingNotice(
    () => ['x'],
    (text) => reported.push(text),
    () => Promise.reject(new Error('no')),
  );
  await expect(failed).rejects.toThrow('no');
  vi.advanceTimersByTime(60_000);
  expect([reported, vi.getTimerCount()]).toEqual([[], 0]);
});
