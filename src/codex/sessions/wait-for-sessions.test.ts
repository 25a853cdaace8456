import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { pendingApproval } from '../../../test/contracts/pending-approval.ts';
import { openMemorySessions } from '../../../test/contracts/sessions-in-memory.ts';
import { AppError } from '../../base/errors.ts';
import type { Progress } from '../../serve/context.ts';
import { toUnknownApproval } from '../engines/app-server/approvals/action-approvals.ts';
import { Session } from './session.ts';
import { needsAttention, progressText, waitForSessions } from './wait-for-sessions.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('stops waiting if the call is cancelled or its client disconnects', async () => {
  const { session, call, cancel, leave } = open();
  session.beginTurn();
  const cancelled = call({ seconds: 60 });
  const outcome = expect(cancelled).rejects.toMatchObject({ code: 'CANCELLED' });
  cancel();
  await outcome;
  await expect(call({ seconds: 0 })).rejects.toMatchObject({ code: 'CANCELLED' });
  const other = open();
  other.session.beginTurn();
  const left = expect(other.call({ seconds: 60 })).rejects.toThrow();
  other.leave();

  await left;
  expect(vi.getTimerCount()).toBe(0);
  leave();
});

test('waits no longer than the client lets a call run', async () => {
  const { session, call } = open({ maxWaitMs: 5_000 });
  session.beginTurn();
  let isBack = false;
  const waiting = call({ seconds: 3600 }).then(() => {
    isBack = true;
  });
  await vi.advanceTimersByTimeAsync(4_999);
  expect(isBack).toBe(false);
  await vi.advanceTimersByTimeAsync(1);

  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});

test('returns at once if the turn is over or the timeout is zero', async () => {
  const { session, call, reported } = open();
  await call({ seconds: 60 });
  session.beginTurn();
  await call({ seconds: 0 });

  expect([reported, vi.getTimerCount()]).toEqual([[], 0]);
});

test('stops waiting when the turn ends', async () => {
  const { session, call } = open();
  session.beginTurn();
  const waiting = call({ seconds: 60 });
  session.endTurn({ status: 'interrupted' });

  await waiting;
  expect(vi.getTimerCount()).toBe(0);
});

test('reports progress at once, changes at most once a second, and silence within ten seconds', async () => {
  const { session, call, reported } = open();
  session.beginTurn();
  const waiting = call({ seconds: 60 });
  expect(reported).toEqual([{ progress: 1, message: 'thinking (0 s)' }]);
  for (let count = 0; count < 100; count++) session.apply({ kind: 'retrying', message: 'again' });
  expect(reported).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_500);
  session.notifyChanged();
  expect(reported).toHaveLength(2);
  await vi.advanceTimersByTimeAsync(20_000);

  expect(reported.length).toBeGreaterThanOrEqual(4);
  expect(reported.map(({ progress }) => progress)).toEqual(reported.map((_, index) => index + 1));
  session.endTurn({ status: 'interrupted' });
  await waiting;
});

test('describes progress in one short line', () => {
  const session = createSession('s');
  expect(progressText(session)).toBe('done');
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const command = { id: 'c', type: 'command_execution', status: 'started', summary: 'npm test' } as const;
  session.apply({ kind: 'item', turnId: '1', item: command });
  expect(progressText(session)).toBe('running: npm test (0 s)');
  const files = [{ path: '/a', kind: 'add' }] as const;
  session.apply({
    kind: 'item',
    turnId: '1',
    item: { ...command, id: 'f', type: 'file_change', status: 'completed', files },
  });
  const total = { inputTokens: 12_000, cachedInputTokens: 0, outputTokens: 400, reasoningOutputTokens: 0 };
  session.apply({ kind: 'usage', total, turn: undefined, contextWindow: undefined });
  vi.advanceTimersByTime(65_000);
  expect(progressText(session)).toBe('running: npm test (65 s) · 1 file changed · 12 k tokens');
  session.apply({ kind: 'retrying', message: 'Reconnecting... 1/5\nwait' });
  expect(progressText(session)).toBe('retrying: Reconnecting... 1/5 wait (65 s) · 1 file changed · 12 k tokens');
  const question = toUnknownApproval('x/requestApproval', { long: 'y'.repeat(1000) });
  session.pendingApprovals.push(pendingApproval(question));

  expect(progressText(session)).toMatch(/^waiting for an answer: Codex wants to execute: .*… \(65 s\) · 1 file/);
  expect(progressText(session).length).toBeLessThanOrEqual(200);
});

test('reports how many of several sessions are over, and the progress of the first other one', async () => {
  const { session, call, reported } = open();
  const other = createSession('other');
  session.beginTurn();
  other.beginTurn();
  other.endTurn({ status: 'interrupted' });
  const waiting = call({ seconds: 60, sessions: [other, session], isOver: () => !session.isRunning });
  session.endTurn({ status: 'interrupted' });

  await waiting;
  expect(reported).toEqual([{ progress: 1, message: '1 of 2 sessions done · thinking (0 s)' }]);
});

test('a session needs attention if it is over, or has an approval that nobody is prompted for', () => {
  const session = createSession('s');
  expect(needsAttention(session)).toBe(true);
  session.beginTurn();
  expect(needsAttention(session)).toBe(false);
  const request = toUnknownApproval('x', {});
  session.pendingApprovals.push(pendingApproval(request, { isPrompting: true }));
  expect(needsAttention(session)).toBe(false);
  session.pendingApprovals.push(pendingApproval(request));

  expect(needsAttention(session)).toBe(true);
});

function createSession(sessionId: string): Session {
  return new Session({ sessionId, cwd: '/project' }, {}, { maxEvents: 10, runId: 'ab' });
}

function open({ maxWaitMs = 60_000 } = {}) {
  const { sessions } = openMemorySessions();
  const session = createSession('s');
  const reported: Progress[] = [];
  const cancelling = new AbortController();
  const leaving = new AbortController();
  const context = {
    requestId: 1,
    signal: cancelling.signal,
    progress: (progress: Progress) => void reported.push(progress),
    elicit: () => expect.unreachable(),
    client: {
      info: {},
      canBeAsked: true,
      reach: 'always' as const,
      notify: () => {},
      ask: () => expect.unreachable(),
      left: leaving.signal,
    },
  };
  const serverContext = { maxWaitMs: () => maxWaitMs, sessions };
  return {
    session,
    reported,
    cancel: () => cancelling.abort(new AppError('CANCELLED', 'The client gave up.')),
    leave: () => leaving.abort(),
    call: (options: { seconds: number; sessions?: readonly Session[]; isOver?: () => boolean }) =>
      waitForSessions({
        sessions: [session],
        isOver: () => !session.isRunning,
        context,
        serverContext,
        ...options,
      }),
  };
}
