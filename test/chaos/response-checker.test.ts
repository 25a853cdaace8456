import { expect, test } from 'vitest';
import { errorTable } from '../../src/base/error-table.ts';
import { createResponseChecker, type SentCall } from './response-checker.ts';

const call: SentCall = {
  n: 1,
  client: 'ann',
  server: 's1',
  nonce: 'mine',
  habit: undefined,
  bytes: 2,
  sentAt: 100,
  version: 3,
};
const answer = { nonce: 'mine', server: 's1', version: 3, pad: 'xx' };
const EXITED = errorTable().PROCESS_EXITED.rpc;
const TIMED_OUT = errorTable().TIMED_OUT.rpc;

test('accepts a response from any version between the one it was sent to and the newest', () => {
  const checker = createResponseChecker(() => 200);
  checker.result(call, answer, 4);
  checker.result(call, { ...answer, version: 4 }, 4);
  expect(checker.violations).toEqual([]);
});

test.each([
  ['to another call', { nonce: 'yours' }],
  ['of another server', { server: 's2' }],
  ['of an old version', { version: 2 }],
  ['of a future version', { version: 5 }],
  ['that is truncated', { pad: 'x' }],
])('rejects a response %s', (_, wrong) => {
  const checker = createResponseChecker(() => 200);
  checker.result(call, { ...answer, ...wrong }, 4);
  expect(checker.violations).toHaveLength(1);
});

test('rejects a response to a call that its server never answered', () => {
  const checker = createResponseChecker(() => 200);
  checker.result({ ...call, habit: 'hang' }, answer, 4);
  expect(checker.violations).toHaveLength(1);
});

test('an error needs a fault of its kind, its server and its time', () => {
  const checker = createResponseChecker(() => 200);
  const fault = { server: 's1', codes: ['PROCESS_EXITED'], from: 150, until: 180, isUnresponsive: false } as const;
  checker.fault({ ...fault });
  checker.error(call, EXITED, 'it fell');
  expect(checker.violations).toEqual([]);
  checker.error({ ...call, sentAt: 190 }, EXITED, 'too late');
  checker.error({ ...call, server: 's2' }, EXITED, 'elsewhere');
  checker.error(call, TIMED_OUT, 'another kind');
  checker.error(call, errorTable().INTERNAL.rpc, 'a bug');
  expect(checker.violations).toHaveLength(4);
});

test('accepts timeouts of hanging calls, and of calls to a stopped server', () => {
  const checker = createResponseChecker(() => 8_000);
  checker.fault({ server: 's2', codes: [], from: 1_000, until: 7_000, isUnresponsive: true });
  checker.error({ ...call, habit: 'hang' }, TIMED_OUT, 'hung');
  checker.error({ ...call, server: 's2' }, TIMED_OUT, 'stood still');
  expect(checker.violations).toEqual([]);
  checker.error(call, TIMED_OUT, 'nothing happened to this one');
  checker.error({ ...call, server: 's2', sentAt: 6_500 }, TIMED_OUT, 'it went on soon');
  expect(checker.violations).toHaveLength(2);
});

test('rejects more errors than the faults can cause', () => {
  const checker = createResponseChecker(() => 200);
  checker.fault({ server: 's1', codes: ['PROCESS_EXITED'], from: 150, until: 180, isUnresponsive: false });
  for (let count = 0; count < 3; count++) checker.error(call, EXITED, 'it fell');
  checker.checkTotals(3);
  expect(checker.violations).toEqual([]);
  checker.checkTotals(2);
  expect(checker.violations).toEqual(['3 calls failed, but 1 faults explain at most 2']);
});
