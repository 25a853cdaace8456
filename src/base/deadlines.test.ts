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

test('expires within one tick after the deadline and never before', () => {
  deadlines.set('a', 250);
  vi.advanceTimersByTime(249);
  expect(expired).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(expired).toEqual(['a']);
  vi.advanceTimersByTime(1_000);
  expect(expired).toEqual(['a']);
});

test('does not expire a cleared deadline, and expires a renewed one later', () => {
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

test('shares one timer for all deadlines, and has no timer without deadlines', () => {
  for (let count = 0; count < 1_000; count++) deadlines.set(`key ${count}`, 50);
  expect(vi.getTimerCount()).toBe(1);
  vi.advanceTimersByTime(100);
  expect(expired).toHaveLength(1_000);
  expect(vi.getTimerCount()).toBe(0);
});

test('allows setting a deadline while another expires', () => {
  const chained = createDeadlines<string>((key) => {
    expired.push(key);
    if (key === 'a') chained.set('b', 0);
  });
  chained.set('a', 0);
  vi.advanceTimersByTime(300);
  expect(expired).toEqual(['a', 'b']);
  chained.close();
});

test('treats Infinity as no deadline', () => {
  deadlines.set('never', Number.POSITIVE_INFINITY);
  vi.advanceTimersByTime(10_000_000);
  expect(expired).toEqual([]);
});

test('expires nothing and leaves no timer after close, which may be called twice', () => {
  deadlines.set('a', 50);
  deadlines.close();
  deadlines.close();
  vi.advanceTimersByTime(1_000);
  expect({ expired, timers: vi.getTimerCount() }).toEqual({ expired: [], timers: 0 });
});
