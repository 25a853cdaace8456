import { expect, test } from 'vitest';
import { errorTable } from '../../src/base/error-table.ts';
import { createJudge, type SentCall } from './judge.ts';

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
  const judge = createJudge(() => 200);
  judge.result(call, answer, 4);
  judge.result(call, { ...answer, version: 4 }, 4);
  expect(judge.violations).toEqual([]);
});

test.each([
  ['to another call', { nonce: 'yours' }],
  ['of another server', { server: 's2' }],
  ['of an old version', { version: 2 }],
  ['of a future version', { version: 5 }],
  ['that is truncated', { pad: 'x' }],
])('rejects a response %s', (_, wrong) => {
  const judge = createJudge(() => 200);
  judge.result(call, { ...answer, ...wrong }, 4);
  expect(judge.violations).toHaveLength(1);
});

test('rejects a response to a call that its server never answered', () => {
  const judge = createJudge(() => 200);
  judge.result({ ...call, habit: 'hang' }, answer, 4);
  expect(judge.violations).toHaveLength(1);
});

test('an error needs a fault of its kind, its server and its time', () => {
  const judge = createJudge(() => 200);
  const fault = { server: 's1', codes: ['PROCESS_EXITED'], from: 150, until: 180, isStanding: false } as const;
  judge.fault({ ...fault });
  judge.error(call, EXITED, 'it fell');
  expect(judge.violations).toEqual([]);
  judge.error({ ...call, sentAt: 190 }, EXITED, 'too late');
  judge.error({ ...call, server: 's2' }, EXITED, 'elsewhere');
  judge.error(call, TIMED_OUT, 'another kind');
  judge.error(call, errorTable().INTERNAL.rpc, 'a bug');
  expect(judge.violations).toHaveLength(4);
});

test('accepts timeouts of hanging calls, and of calls to a stopped server', () => {
  const judge = createJudge(() => 8_000);
  judge.fault({ server: 's2', codes: [], from: 1_000, until: 7_000, isStanding: true });
  judge.error({ ...call, habit: 'hang' }, TIMED_OUT, 'hung');
  judge.error({ ...call, server: 's2' }, TIMED_OUT, 'stood still');
  expect(judge.violations).toEqual([]);
  judge.error(call, TIMED_OUT, 'nothing happened to this one');
  judge.error({ ...call, server: 's2', sentAt: 6_500 }, TIMED_OUT, 'it went on soon');
  expect(judge.violations).toHaveLength(2);
});

test('rejects more errors than the faults can cause', () => {
  const judge = createJudge(() => 200);
  judge.fault({ server: 's1', codes: ['PROCESS_EXITED'], from: 150, until: 180, isStanding: false });
  for (let count = 0; count < 3; count++) judge.error(call, EXITED, 'it fell');
  judge.sumUp(3);
  expect(judge.violations).toEqual([]);
  judge.sumUp(2);
  expect(judge.violations).toEqual(['3 calls failed, but 1 faults explain at most 2']);
});
