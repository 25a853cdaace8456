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

test('the right answer is one of a version between that which it was sent to and the newest', () => {
  const judge = createJudge(() => 200);
  judge.result(call, answer, 4);
  judge.result(call, { ...answer, version: 4 }, 4);
  expect(judge.violations).toEqual([]);
});

test.each([
  ['of another call', { nonce: 'yours' }],
  ['of another server', { server: 's2' }],
  ['of an old version', { version: 2 }],
  ['of a version that is not there yet', { version: 5 }],
  ['that is cut', { pad: 'x' }],
])('an answer %s is wrong', (_, wrong) => {
  const judge = createJudge(() => 200);
  judge.result(call, { ...answer, ...wrong }, 4);
  expect(judge.violations).toHaveLength(1);
});

test('an answer to a call that its server never answered is wrong', () => {
  const judge = createJudge(() => 200);
  judge.result({ ...call, habit: 'hang' }, answer, 4);
  expect(judge.violations).toHaveLength(1);
});

test('an error is explained by a fault of its kind, of its server and of its time, and by nothing else', () => {
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

test('time runs out for the call that hangs, and for calls whose server stood still', () => {
  const judge = createJudge(() => 8_000);
  judge.fault({ server: 's2', codes: [], from: 1_000, until: 7_000, isStanding: true });
  judge.error({ ...call, habit: 'hang' }, TIMED_OUT, 'hung');
  judge.error({ ...call, server: 's2' }, TIMED_OUT, 'stood still');
  expect(judge.violations).toEqual([]);
  judge.error(call, TIMED_OUT, 'nothing happened to this one');
  judge.error({ ...call, server: 's2', sentAt: 6_500 }, TIMED_OUT, 'it went on soon');
  expect(judge.violations).toHaveLength(2);
});

test('more errors than the faults can have caused are one too many', () => {
  const judge = createJudge(() => 200);
  judge.fault({ server: 's1', codes: ['PROCESS_EXITED'], from: 150, until: 180, isStanding: false });
  for (let count = 0; count < 3; count++) judge.error(call, EXITED, 'it fell');
  judge.sumUp(3);
  expect(judge.violations).toEqual([]);
  judge.sumUp(2);
  expect(judge.violations).toEqual(['3 calls failed, and 1 faults explain 2 at most']);
});
