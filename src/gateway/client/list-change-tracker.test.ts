import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createListChangeTracker } from './list-change-tracker.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('does not notify a client that has not read the list', () => {
  const reported = vi.fn();
  createListChangeTracker().listChanged('tools', () => 2, reported);
  vi.runAllTimers();
  expect(reported).not.toHaveBeenCalled();
});

test('sends one notification for many changes, and another only after the list is read again', () => {
  const reported = vi.fn();
  const lists = createListChangeTracker();
  lists.recordRead('tools', 1);
  for (let version = 2; version < 10; version++) lists.listChanged('tools', () => version, reported);
  expect(reported).not.toHaveBeenCalled();
  vi.runAllTimers();
  expect(reported).toHaveBeenCalledTimes(1);
  lists.listChanged('tools', () => 11, reported);
  vi.runAllTimers();
  expect(reported).toHaveBeenCalledTimes(1);
  lists.recordRead('tools', 11);
  lists.listChanged('tools', () => 12, reported);
  vi.runAllTimers();
  expect(reported).toHaveBeenCalledTimes(2);
});

test('does not notify of a change that the client has read meanwhile, or that was reverted', () => {
  const reported = vi.fn();
  const lists = createListChangeTracker();
  lists.recordRead('tools', 1);
  lists.listChanged('tools', () => 2, reported);
  lists.recordRead('tools', 2);
  vi.runAllTimers();
  lists.listChanged('tools', () => 2, reported);
  vi.runAllTimers();
  expect(reported).not.toHaveBeenCalled();
});

test('tracks each kind of list separately', () => {
  const reported = vi.fn();
  const lists = createListChangeTracker();
  lists.recordRead('tools', 1);
  lists.listChanged('prompts', () => 2, reported);
  vi.runAllTimers();
  expect(reported).not.toHaveBeenCalled();
});

test('a client with many readers is notified of every change, whoever has read the list', () => {
  vi.useFakeTimers();
  const tracker = createListChangeTracker();
  const notify = vi.fn();
  let version = 1;
  tracker.followAll();
  for (const next of [2, 2, 3]) {
    version = next;
    tracker.listChanged('tools', () => version, notify);
    tracker.recordRead('tools', version);
    vi.advanceTimersByTime(50);
  }
  expect(notify).toHaveBeenCalledTimes(2);
  vi.useRealTimers();
});
