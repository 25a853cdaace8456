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

test('returns queued calls in order, each with its remaining time', () => {
  const room = createCallQueue('one');
  const [first, second] = [createCall(), createCall()];
  expect(room.add(first.call, 1_000)).toBe(true);
  vi.advanceTimersByTime(300);
  expect(room.add(second.call, 1_000)).toBe(true);
  vi.advanceTimersByTime(100);
  expect(room.takeAll()).toEqual([
    { call: first.call, leftMs: 600 },
    { call: second.call, leftMs: 900 },
  ]);
  expect(room.takeAll()).toEqual([]);
  vi.advanceTimersByTime(10_000);
  expect([first.errors, second.errors]).toEqual([[], []]);
});

test('fails and removes a call that waits too long', () => {
  const room = createCallQueue('one');
  const late = createCall();
  room.add(late.call, 1_000);
  vi.advanceTimersByTime(999);
  expect(late.errors).toEqual([]);
  vi.advanceTimersByTime(101);
  expect(late.errors).toMatchObject([{ code: 'TIMED_OUT', message: 'one was not ready in time for tools/call.' }]);
  expect(room.takeAll()).toEqual([]);
});

test('requeues a call that was lost with its server once, and only once', () => {
  const room = createCallQueue('one');
  const { call } = createCall();
  expect(room.add(call, 1_000)).toBe(true);
  room.takeAll();
  expect(room.requeue(call, 500)).toBe(true);
  expect(room.takeAll()).toEqual([{ call, leftMs: 500 }]);
  expect(room.requeue(call, 500)).toBe(false);
  expect(room.isEmpty()).toBe(true);
});

test('a removed call is not notified, and is removed only once', () => {
  const room = createCallQueue('one');
  const { call, errors } = createCall();
  room.add(call, 1_000);
  expect(room.remove(call)).toBe(true);
  expect(room.remove(call)).toBe(false);
  vi.advanceTimersByTime(2_000);
  expect(errors).toEqual([]);
  expect(room.takeAll()).toEqual([]);
});

test('holds up to 1024 calls, and another one after a removal', () => {
  const room = createCallQueue('one');
  const [first, ...others] = Array.from({ length: 1024 }, () => createCall().call);
  if (first === undefined) throw new Error('No call.');
  for (const call of [first, ...others]) expect(room.add(call, 1_000)).toBe(true);
  expect(room.add(createCall().call, 1_000)).toBe(false);
  room.remove(first);
  expect(room.add(createCall().call, 1_000)).toBe(true);
});

test('holds up to 32 MiB, and more after a removal', () => {
  const room = createCallQueue('one');
  const [large, rest] = [createCall({ bytes: 30 * 2 ** 20 }).call, createCall({ bytes: 2 * 2 ** 20 }).call];
  expect(room.add(large, 1_000)).toBe(true);
  expect(room.add(rest, 1_000)).toBe(true);
  expect(room.add(createCall({ bytes: 1 }).call, 1_000)).toBe(false);
  room.remove(rest);
  expect(room.add(createCall({ bytes: 1 }).call, 1_000)).toBe(true);
  room.takeAll();
  expect(room.add(createCall({ bytes: 32 * 2 ** 20 }).call, 1_000)).toBe(true);
});

function createCall({ bytes = 0 } = {}) {
  const errors: AppError[] = [];
  const call: UpstreamCall = {
    method: 'tools/call',
    timeoutMs: undefined,
    isIdempotent: false,
    bytes,
    sent: undefined,
    write: () => '',
    isDeadlinePaused: () => false,
    result: () => {},
    response: () => {},
    progress: () => {},
    fail: (error) => errors.push(error),
  };
  return { call, errors };
}
