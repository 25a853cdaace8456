import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createDeadlines, type Deadlines } from './deadlines.ts';

let expired: string[];
let deadlines: Deadlines<string>;

beforeEach(() => {
  vi.useFakeTimers();
  expired = [];
  deadlines = createDeadlines((key) => expired.push(key));
});
afterEach(() => {
  deadlines.close();
  vi.useRealTimers();
});

test('a deadline is noticed within one tick after it and never before it', () => {
  deadlines.set('a', 250);
  vi.advanceTimersByTime(249);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(expired).toEqual(['a']);
  vi.advanceTimersByTime(1_000);
  expect(expired).toEqual(['a']);
});

test('a cleared deadline does not expire and a renewed one expires later', () => {
  deadlines.set('a', 150);
  deadlines.set('b', 150);
  deadlines.clear('a');
  vi.advanceTimersByTime(100);
  deadlines.set('b', 400);
  vi.advanceTimersByTime(300);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(200);
  expect(expired).toEqual(['b']);
});

test('many deadlines share one timer, and without deadlines there is none', () => {
  for (let count = 0; count < 1_000; count++) deadlines.set(`key ${count}`, 50);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(100);
  expect(expired).toHaveLength(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('a deadline may be set while another expires', () => {
  const chained = createDeadlines<string>((key) => {
    expired.push(key);
    if (key === 'a') chained.set('b', 0);
  });
  chained.set('a', 0);
  vi.advanceTimersByTime(300);
  expect(expired).toEqual(['a', 'b']);
  chained.close();
});

test('no deadline at all is Infinity', () => {
  deadlines.set('never', Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(10_000_000);
  expect(expired).toEqual([]);
});

test('after close nothing expires and no timer is left; it may be called twice', () => {
  deadlines.set('a', 50);
  deadlines.close();
  deadlines.close();
  vi.advanceTimersByTime(1_000);
  expect({ expired, timers: vi.getTimerCount() }).toEqual({ expired: [], timers: 0 });
});
