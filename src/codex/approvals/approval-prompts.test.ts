import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { APPROVAL_TIMEOUT_MS, openApprovals } from '../../../test/contracts/approvals-in-memory.ts';
import { AppError } from '../../base/errors.ts';
import type { PromptOutcome } from './prompter.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test.each<[string, PromptOutcome | Error, readonly unknown[]]>([
  ['an answer', { kind: 'answers', answers: ['approve'] }, ['yes']],
  ['a refusal', { kind: 'refused' }, ['no']],
  ['an invalid answer', { kind: 'answers', answers: ['perhaps'] }, []],
  ['no answer', { kind: 'unanswered' }, []],
  ['a failure', new AppError('TIMED_OUT', 'nobody there'), []],
])('prompts the client first: %s', async (_, verdict, expected) => {
  const { session, answers, ask, reply } = openApprovals({ hasAsker: true });
  ask();
  expect(session.pendingApprovals).toMatchObject([{ isPrompting: true }]);
  reply(verdict);
  await vi.advanceTimersByTimeAsync(0);

  expect(answers).toEqual(expected);
  expect(session.pendingApprovals.map(({ isPrompting }) => isPrompting)).toEqual(expected.length === 0 ? [false] : []);
});

test('a client that cannot be prompted leaves an approval pending, unless only the user may decide it', async () => {
  const kind = 'unsupported';
  const [open, restricted] = [openApprovals({ hasAsker: true }), openApprovals({ hasAsker: true, deciders: 'user' })];
  for (const { ask, reply } of [open, restricted]) {
    ask();
    reply({ kind });
  }
  await vi.advanceTimersByTimeAsync(0);

  expect([open.answers, open.session.warnings]).toEqual([[], []]);
  expect([restricted.answers, restricted.session.warnings]).toEqual([
    ['no'],
    ['A request from Codex was refused: the operator of this server lets nobody here approve it (--approvals user).'],
  ]);
});

test('aborts the prompt when another caller answers', async () => {
  const { approvals, session, ask, asking } = openApprovals({ hasAsker: true });
  const id = ask();
  expect(asking()).toEqual({ timeoutMs: APPROVAL_TIMEOUT_MS / 2, isAborted: false });
  await approvals.answer(session, id, ['deny']);

  expect(asking()).toEqual({ timeoutMs: APPROVAL_TIMEOUT_MS / 2, isAborted: true });
});

test('prompts once through an open call if nobody was prompted yet', async () => {
  const { approvals, session, answers, ask, asker, reply, asking } = openApprovals();
  ask();
  approvals.promptThrough(session, asker);
  approvals.promptThrough(session, { prompt: () => expect.unreachable() });
  expect(asking()).toEqual({ timeoutMs: APPROVAL_TIMEOUT_MS / 2, isAborted: false });
  reply({ kind: 'answers', answers: ['approve'] });
  await vi.advanceTimersByTimeAsync(0);

  expect(answers).toEqual(['yes']);
});
