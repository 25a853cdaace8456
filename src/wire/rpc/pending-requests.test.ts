import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { AppError } from '../../base/errors.ts';
import { createPendingRequests, type PendingRequest } from './pending-requests.ts';

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

function open() {
  const reported: string[] = [];
  const table = createPendingRequests<PendingRequest>((id) => reported.push(`expired ${id}`));
  const add = (timeoutMs = 1_000) => {
    const id = table.nextId();
    table.add(
      id,
      {
        method: `m${id}`,
        response: (message) => reported.push(`answer ${id} ${JSON.stringify(message)}`),
        fail: ({ message }) => reported.push(`fail ${id} ${message}`),
        progress: (params) => reported.push(`progress ${id} ${JSON.stringify(params)}`),
      },
      timeoutMs,
    );
    return id;
  };
  return { table, reported, add };
}

test('ids increase and are never reused', () => {
  const { table, add } = open();
  expect([add(), add(), table.nextId(), add()]).toEqual([1, 2, 3, 4]);
  expect(table.size).toBe(3);
});

test.each<[unknown, boolean]>([
  [1, true],
  ['1', true],
  ['01', true],
  [1.5, false],
  ['1.0', false],
  ['', false],
  [' 1', false],
  ['1e0', false],
  ['1234567890123456', false],
  [null, false],
  [undefined, false],
  [[1], false],
  [{}, false],
  [true, false],
])('the id %j is one of ours: %j', (id, isOurs) => {
  const { table, add } = open();
  add();
  expect(table.find(id) !== undefined).toBe(isOurs);
  expect(table.take(id) !== undefined).toBe(isOurs);
  expect(table.size).toBe(isOurs ? 0 : 1);
});

test('passes progress to the request with its token, and drops it without one', () => {
  const { table, reported, add } = open();
  add();
  add();
  table.progress({ progressToken: 2, progress: 1 }, []);
  table.progress({ progress: 1 }, []);
  table.progress('odd', []);
  table.progress(undefined, []);
  expect(reported).toEqual(['progress 2 {"progressToken":2,"progress":1}']);
});

test('extends the deadline from now on, and only of a pending request', () => {
  const { table, reported, add } = open();
  const id = add(1_000);
  vi.advanceTimersByTime(900);
  table.extendDeadline(id, 1_000);
  table.extendDeadline(99, 1_000);
  vi.advanceTimersByTime(900);
  expect(reported).toEqual([]);
  vi.advanceTimersByTime(200);
  expect([reported, table.size]).toEqual([['expired 1'], 0]);
});

test('failAll fails each request once with its own reason, and none expires later', () => {
  const { table, reported, add } = open();
  add();
  add();
  table.failAll(({ method }) => new AppError('CONNECTION_CLOSED', `${method} is over`));
  table.failAll(() => new AppError('CONNECTION_CLOSED', 'again'));
  vi.advanceTimersByTime(10_000);
  expect([reported, table.size]).toEqual([['fail 1 m1 is over', 'fail 2 m2 is over'], 0]);
});

test('does not notify requests that are taken out', () => {
  const { table, reported, add } = open();
  add();
  expect(table.takeAll().map(({ method }) => method)).toEqual(['m1']);
  vi.advanceTimersByTime(10_000);
  table.settle({ id: 1, result: {} }, []);
  expect(reported).toEqual([]);
});
