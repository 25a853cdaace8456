import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { withLiveWait } from './live-wait.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function open({ isOver = (): boolean => false } = {}) {
  const shown: (string | undefined)[] = [];
  const stderr: string[] = [];
  const line = {
    update: ({ message }: { readonly message?: string }) => void shown.push(message),
    close: () => void shown.push('closed'),
  };
  let finish = () => {};
  const work = () =>
    new Promise<string>((resolve) => {
      finish = () => resolve('done');
    });
  const options = { subject: 'my files', limitMs: 60_000, stderrTail: () => stderr, line, isOver };
  const waited = withLiveWait(options, work);
  return { shown, stderr, waited, finish: () => finish() };
}

test('shows the elapsed time, the limit and the last stderr line every second', async () => {
  const { shown, stderr, waited, finish } = open();
  vi.advanceTimersByTime(900);
  expect(shown).toEqual([]);
  vi.advanceTimersByTime(100);
  stderr.push('Downloading 3 of 9', '');
  vi.advanceTimersByTime(1_000);
  finish();
  expect([await waited, shown, vi.getTimerCount()]).toEqual([
    'done',
    [
      'Waiting for "my files", 1 s of 60 s (see --timeout) …',
      'Waiting for "my files", 2 s of 60 s (see --timeout): Downloading 3 of 9',
      'closed',
    ],
    0,
  ]);
});

test('shows nothing if the work is done within a second, or once something else uses the line', async () => {
  const fast = open();
  fast.finish();
  await fast.waited;
  const busy = open({ isOver: () => true });
  vi.advanceTimersByTime(5_000);
  busy.finish();
  await busy.waited;
  expect([fast.shown, busy.shown]).toEqual([[], []]);
});
