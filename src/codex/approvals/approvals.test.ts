import fc from 'fast-check';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { APPROVAL_TIMEOUT_MS, openApprovals } from '../../../test/contracts/approvals-in-memory.ts';
import { verifies } from '../../../test/verifies.ts';
import { Session } from '../sessions/session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

verifies(
  ['codex:respond:wrong-id', 'codex:respond:option-only', 'codex:respond:one-per-question'],
  'rejects an invalid answer with the valid options, and changes nothing',
  async () => {
    const { approvals, session, answers, ask } = openApprovals();
    const foreign = new Session({ sessionId: 'other', cwd: '/' }, {}, { maxEvents: 1, runId: 'ab' });
    const bad = (text: string) => ({ code: 'BAD_ARGUMENTS', message: text });
    await expect(approvals.answer(session, 'approval_x', ['approve'])).rejects.toMatchObject(
      bad('No approval approval_x is pending. Nothing is pending in this session.'),
    );
    const id = ask();

    await expect(approvals.answer(session, 'approval_x', ['approve'])).rejects.toMatchObject(
      bad(`No approval approval_x is pending. Pending in this session: ${id}.`),
    );
    await expect(approvals.answer(foreign, id, ['approve'])).rejects.toMatchObject(
      bad(`No approval ${id} is pending. Nothing is pending in this session.`),
    );
    await expect(approvals.answer(session, id, ['yes'])).rejects.toMatchObject(
      bad('"yes" is not a valid answer to this question. Options: approve, deny, cancel.'),
    );
    await expect(approvals.answer(session, id, [])).rejects.toMatchObject(
      bad('answers must contain one answer per question: 1 is expected, 0 given.'),
    );
    expect([answers, session.status, session.pendingApprovals.length]).toEqual([[], 'awaiting_approval', 1]);
    expect(await approvals.answer(session, id, ['approve'])).toEqual({ warning: undefined });
    await expect(approvals.answer(session, id, ['deny'])).rejects.toMatchObject(
      bad(
        `The approval ${id} is no longer pending: it was answered with approve by codex_respond. Nothing was changed.`,
      ),
    );
    expect([answers, session.status, session.pendingApprovals]).toEqual([['yes'], 'active', []]);
  },
);

verifies(
  'codex:approval:timeout',
  'refuses an unanswered approval after the timeout, and adds a warning to the session',
  async () => {
    const { session, answers, ask } = openApprovals();
    ask();
    await vi.advanceTimersByTimeAsync(APPROVAL_TIMEOUT_MS - 1);
    expect(answers).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);

    expect(answers).toEqual(['no']);
    expect(session.status).toBe('active');
    expect(session.warnings).toEqual([
      'An approval was refused because nobody answered within 10 s (APPROVAL_TIMEOUT_MS).',
    ]);
  },
);

test('refuses at once what only the user may decide if the client cannot prompt', async () => {
  const { session, answers, ask } = openApprovals({ deciders: 'user' });
  ask();
  await vi.advanceTimersByTimeAsync(0);

  expect([answers, session.pendingApprovals]).toEqual([['no'], []]);
  expect(session.warnings).toEqual([
    'A request from Codex was refused: the operator of this server lets nobody here approve it (--approvals user).',
  ]);
});

test('keeps what only the user may decide pending for a later call if the client can prompt in calls', async () => {
  const { approvals, session, answers, ask, asker, reply } = openApprovals({
    deciders: 'user',
    canPromptInCalls: true,
  });
  const id = ask();
  await vi.advanceTimersByTimeAsync(APPROVAL_TIMEOUT_MS / 2);
  expect([answers, session.warnings]).toEqual([[], []]);
  await expect(approvals.answer(session, id, ['approve'])).rejects.toMatchObject({ code: 'DENIED' });
  approvals.promptThrough(session, asker);
  reply({ kind: 'answers', answers: ['approve'] });
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual(['yes']);
  ask();
  await vi.advanceTimersByTimeAsync(APPROVAL_TIMEOUT_MS);

  expect(answers).toEqual(['yes', 'no']);
});

test('removes an approval that Codex withdraws, and rejects a late answer', async () => {
  const { approvals, session, answers, ask, withdraw } = openApprovals();
  const id = ask();
  withdraw();

  expect([session.pendingApprovals, session.status]).toEqual([[], 'active']);
  // Codex ignores it, but every request gets its response.
  await vi.advanceTimersByTimeAsync(0);
  expect(answers).toEqual(['no']);
  await expect(approvals.answer(session, id, ['approve'])).rejects.toMatchObject({
    message: `The approval ${id} is no longer pending: it was withdrawn by Codex. Nothing was changed.`,
  });
});

test('only what Codex names is withdrawn', async () => {
  const { approvals, session, answers, ask } = openApprovals();
  const [first] = [ask(), ask()];
  approvals.withdraw(session, ({ requestId }) => requestId === 1);
  approvals.withdraw(session, ({ requestId }) => requestId === '0');
  approvals.withdraw(session, ({ threadId }) => threadId === 'of an agent');
  expect(session.pendingApprovals.map(({ id }) => id)).toEqual([first]);
  approvals.withdraw(session, ({ threadId }) => threadId === 's');

  await vi.advanceTimersByTimeAsync(0);
  expect([answers, session.pendingApprovals]).toEqual([['no', 'no'], []]);
});

test('an interrupt cancels the approvals of its session only', async () => {
  const { approvals, session, answers, ask } = openApprovals();
  const other = openApprovals();
  other.ask();
  ask();
  ask();
  approvals.cancelAll(session);
  await vi.advanceTimersByTimeAsync(0);

  expect(answers).toEqual(['stop', 'stop']);
  expect(other.answers).toEqual([]);
  expect(session.pendingApprovals).toEqual([]);
});

verifies(
  ['codex:respond:deny-reason', 'codex:respond:approve-note'],
  'sends a note to the model before the answer takes effect; if that fails, the answer still counts, with a warning',
  async () => {
    const { approvals, session, order, ask, failTelling } = openApprovals();
    await approvals.answer(session, ask(), ['deny: too: risky']);
    await approvals.answer(session, ask(), ['approve: but quickly']);
    expect(order).toEqual([
      'tell Denied: too: risky',
      'answer no',
      'tell Approved, with a note: but quickly',
      'answer yes',
    ]);
    failTelling();

    expect(await approvals.answer(session, ask(), ['deny: no'])).toEqual({
      warning: 'The note could not be sent to the model: nobody listens',
    });
    expect(order.at(-1)).toBe('answer no');
  },
);

test('rejects an answer that arrives while the session is being interrupted', async () => {
  const { approvals, session, answers, ask } = openApprovals();
  const id = ask();
  session.isInterrupting = true;
  await expect(approvals.answer(session, id, ['approve'])).rejects.toMatchObject({
    message: `The session is being interrupted, so ${id} is refused. Nothing was changed.`,
  });
  approvals.cancelAll(session);
  await vi.advanceTimersByTimeAsync(0);

  expect(answers).toEqual(['stop']);
});

test('accepts the first of two concurrent answers and rejects the other', async () => {
  const { approvals, session, answers, ask } = openApprovals();
  const id = ask();
  const both = await Promise.allSettled([
    approvals.answer(session, id, ['deny: first']),
    approvals.answer(session, id, ['approve']),
  ]);

  expect(both).toMatchObject([
    { status: 'fulfilled' },
    { status: 'rejected', reason: { message: `The approval ${id} is already being answered. Nothing was changed.` } },
  ]);
  expect(answers).toEqual(['no']);
});

test('ids are unguessable, and the oldest approval comes first', () => {
  const { session, ask } = openApprovals();
  const ids = [ask(), ask()];

  expect(ids.every((id) => /^approval_[0-9a-f]{32}$/.test(id))).toBe(true);
  expect(session.pendingApprovals.map(({ id }) => id)).toEqual(ids);
  expect(new Set(ids).size).toBe(2);
});

test('answers Codex exactly once for any order of events', async () => {
  const doing = fc.constantFrom(
    'approve',
    'deny: note',
    'wrong',
    'withdraw',
    'cancel',
    'late',
    'yes',
    'no',
    'none',
    'tick',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(doing, { maxLength: 8 }), fc.boolean(), async (doings, hasAsker) => {
      const testbed = openApprovals({ hasAsker });
      const { approvals, session } = testbed;
      const id = testbed.ask();
      const attempts: Promise<boolean>[] = [];
      const act: Readonly<Record<string, () => unknown>> = {
        withdraw: testbed.withdraw,
        cancel: () => approvals.cancelAll(session),
        late: () => vi.advanceTimersByTime(APPROVAL_TIMEOUT_MS),
        yes: () => testbed.reply({ kind: 'answers', answers: ['approve: by the client'] }),
        no: () => testbed.reply({ kind: 'refused' }),
        none: () => testbed.reply({ kind: 'unanswered' }),
        tick: () => vi.advanceTimersByTimeAsync(0),
      };
      for (const what of doings) {
        if (act[what] !== undefined) await act[what]();
        else
          attempts.push(
            approvals.answer(session, id, [what]).then(
              () => true,
              () => false,
            ),
          );
      }
      await vi.advanceTimersByTimeAsync(2 * APPROVAL_TIMEOUT_MS);
      const fulfilled = (await Promise.all(attempts)).filter(Boolean);

      expect(testbed.answers).toHaveLength(1);
      expect(fulfilled.length).toBeLessThanOrEqual(1);
      if (fulfilled.length === 1) expect(['yes', 'no']).toContain(testbed.answers[0]);
      expect(session.pendingApprovals).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
    }),
  );
});
