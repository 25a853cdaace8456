import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createIdleTimers } from './idle-timers.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('releases an idle session once, unless it becomes active again', async () => {
  const gone: string[] = [];
  const rest = createIdleTimers(async (id) => void gone.push(id), 1000);
  rest.begin('a');
  rest.begin('b');
  await vi.advanceTimersByTimeAsync(900);
  rest.stop('b');
  rest.begin('a');
  await vi.advanceTimersByTimeAsync(900);
  expect(gone).toEqual([]);
  await vi.advanceTimersByTimeAsync(5000);
  expect(gone).toEqual(['a']);
  rest.begin('c');
  rest.close();
  await vi.advanceTimersByTimeAsync(5000);
  expect(gone).toEqual(['a']);
});
