import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import type { AppError } from '../../base/errors.ts';
import type { UpstreamCall } from '../connection/call.ts';
import { createCallQueue } from './call-queue.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

test('those who wait come out in their order, each with the time that it has left', () => {
  const room = createCallQueue('one');
  const [first, second] = [createCall(), createCall()];
  expect(room.enter(first.call, 1_000)).toBe(true);
  vi.advanceTimersByTime(300);
  expect(room.enter(second.call, 1_000)).toBe(true);
  vi.advanceTimersByTime(100);
  expect(room.empty()).toEqual([
    { call: first.call, leftMs: 600 },
    { call: second.call, leftMs: 900 },
  ]);
  expect(room.empty()).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect([first.errors, second.errors]).toEqual([[], []]);
});

test('a call that waits longer than it may is told, and is gone', () => {
  const room = createCallQueue('one');
  const late = createCall();
  room.enter(late.call, 1_000);
  vi.advanceTimersByTime(999);
  expect(late.errors).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(late.errors).toMatchObject([{ code: 'TIMED_OUT', message: 'one was not ready in time for tools/call.' }]);
  expect(room.empty()).toEqual([]);
});

test('a call that was lost with its server waits once more, and only once', () => {
  const room = createCallQueue('one');
  const { call } = createCall();
  expect(room.enter(call, 1_000)).toBe(true);
  room.empty();
  expect(room.reenter(call, 500)).toBe(true);
  expect(room.empty()).toEqual([{ call, leftMs: 500 }]);
  expect(room.reenter(call, 500)).toBe(false);
  expect(room.isEmpty()).toBe(true);
});

test('one who left is not told, and leaves only once', () => {
  const room = createCallQueue('one');
  const { call, errors } = createCall();
  room.enter(call, 1_000);
  expect(room.leave(call)).toBe(true);
  expect(room.leave(call)).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(errors).toEqual([]);
  expect(room.empty()).toEqual([]);
});

test('1024 may wait, and one more when one has left', () => {
  const room = createCallQueue('one');
  const [first, ...others] = Array.from({ length: 1024 }, () => createCall().call);
  if (first === undefined) throw new Error('No call.');
  for (const call of [first, ...others]) expect(room.enter(call, 1_000)).toBe(true);
  expect(room.enter(createCall().call, 1_000)).toBe(false);
  room.leave(first);
  expect(room.enter(createCall().call, 1_000)).toBe(true);
});

test('32 MiB may wait, and more when some have left', () => {
  const room = createCallQueue('one');
  const [large, rest] = [createCall({ bytes: 30 * 2 ** 20 }).call, createCall({ bytes: 2 * 2 ** 20 }).call];
  expect(room.enter(large, 1_000)).toBe(true);
  expect(room.enter(rest, 1_000)).toBe(true);
  expect(room.enter(createCall({ bytes: 1 }).call, 1_000)).toBe(false);
  room.leave(rest);
  expect(room.enter(createCall({ bytes: 1 }).call, 1_000)).toBe(true);
  room.empty();
  expect(room.enter(createCall({ bytes: 32 * 2 ** 20 }).call, 1_000)).toBe(true);
});

function createCall({ bytes = 0 } = {}) {
  const errors: AppError[] = [];
  const call: UpstreamCall = {
    method: 'tools/call',
    timeoutMs: undefined,
    isRepeatable: false,
    bytes,
    sent: undefined,
    write: () => '',
    isHeld: () => false,
    result: () => {},
    answer: () => {},
    progress: () => {},
    fail: (error) => errors.push(error),
  };
  return { call, errors };
}
