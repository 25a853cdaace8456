import fc from 'fast-check';
import { expect, test } from 'vitest';
import { toCommandApproval } from '../engines/app-server/approvals/action-approvals.ts';
import { type CompatApproval, describeApproval } from './approval.ts';
import { readDecision, toLegacyDecision } from './decision.ts';

const RULE = ['git', 'push'];

function approval(): CompatApproval {
  const question = toCommandApproval({
    command: 'git push',
    cwd: '/ws',
    proposedExecpolicyAmendment: RULE,
    availableDecisions: ['accept', { acceptWithExecpolicyAmendment: { execpolicy_amendment: RULE } }, 'cancel'],
  });
  const described = describeApproval(question, { threadId: 't', requestId: 1 });
  if (described === undefined) throw new Error('it is one');
  return described;
}

const refused = { kind: 'refused' };
const answered = (...answers: string[]) => ({ kind: 'answers', answers });
const amendment = (rule: readonly string[]) => ({
  approved_execpolicy_amendment: { proposed_execpolicy_amendment: rule },
});

test.for<[unknown, object]>([
  [{ action: 'accept' }, refused],
  [{ action: 'accept', content: {} }, refused],
  [{ action: 'accept', content: { decision: 'yes' } }, refused],
  [{ action: 'accept', content: { decision: null } }, refused],
  [{ action: 'decline' }, refused],
  [{ action: 'decline', decision: 'approved' }, refused],
  [{ action: 'cancel', content: { decision: 'approve' } }, refused],
  [{ action: 'accept', decision: 'approved', content: { decision: 'yes' } }, refused],
  [{ decision: {} }, refused],
  [{ decision: true }, refused],
  [{ action: 'cancel' }, { kind: 'unanswered' }],
  [{}, { kind: 'unanswered' }],
  [undefined, { kind: 'unanswered' }],
  ['approved', { kind: 'unanswered' }],
])('%j does not approve', ([answer, verdict]) => {
  expect(readDecision(answer, approval())).toEqual(verdict);
});

test.for<[unknown, string]>([
  [{ action: 'accept', content: { decision: 'approve' } }, 'approve'],
  [
    { action: 'accept', content: { decision: 'approve_session', reason: 'but be quick' } },
    'approve_session: but be quick',
  ],
  [{ action: 'accept', content: { decision: 'deny', reason: ' ' } }, 'deny'],
  [{ action: 'accept', content: { decision: 'cancel' } }, 'cancel'],
  [{ decision: 'approved' }, 'approve'],
  [{ action: 'accept', content: { decision: 'approved' }, decision: 'approved' }, 'approve'],
  [{ decision: 'approved_for_session' }, 'approve_session'],
  [{ decision: amendment(RULE) }, 'approve_rule'],
  [{ decision: amendment(['git']) }, 'approve'],
  [{ action: 'accept', decision: 'denied' }, 'deny'],
  [{ decision: { denied: { rejection: 'not today' } } }, 'deny: not today'],
  [{ decision: 'timed_out' }, 'deny'],
  [{ action: 'accept', decision: 'abort' }, 'cancel'],
  [{ action: 'accept', decision: 'approved', content: { decision: 'deny' } }, 'deny'],
])('accepts %j', ([answer, option]) => {
  expect(readDecision(answer, approval())).toEqual(answered(option));
});

test('only an approve decision approves', () => {
  const isWord = (word: unknown) => /^approve/.test(typeof word === 'string' ? word : JSON.stringify(word ?? null));
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (decision, content) => {
      fc.pre(!isWord(decision));
      const verdict = readDecision({ action: 'accept', decision, content }, approval());
      expect(JSON.stringify(verdict)).not.toContain('approve');
    }),
  );
});

test('maps the decisions of Codex to their legacy names', () => {
  const offered = ['accept', 'acceptForSession', 'decline', 'cancel', 'somethingNew'];
  expect(offered.map(toLegacyDecision)).toEqual([
    'approved',
    'approved_for_session',
    'denied',
    'abort',
    'somethingNew',
  ]);
  const rule = { acceptWithExecpolicyAmendment: { execpolicy_amendment: RULE } };
  expect(toLegacyDecision(rule)).toEqual(amendment(RULE));
});

test.for<unknown>([{ decision: 'APPROVED' }, { action: 'accept', content: { decision: 'Approve' } }])(
  '%j approves regardless of case',
  (answer) => {
    expect(readDecision(answer, approval())).toEqual({ kind: 'answers', answers: ['approve'] });
  },
);
