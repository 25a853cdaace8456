import { expect, test } from 'vitest';
import { verifies } from '../../../../../test/verifies.ts';
import { toCommandApproval, toPatchApproval, toPermissionApproval, toUnknownApproval } from './action-approvals.ts';

const PARAMS = { threadId: 's', turnId: 't', itemId: 'i' };

verifies('codex:approval:command', 'asks about a command with its folder and reason', () => {
  const question = toCommandApproval({ ...PARAMS, command: 'rm -rf x', cwd: '/w', reason: 'to clean up' });

  expect(question).toMatchObject({
    type: 'command_approval',
    turnId: 't',
    itemId: 'i',
    questions: [
      {
        question: 'Codex wants to execute: rm -rf x\nin /w\nReason given by the model:\n> to clean up',
        options: ['approve', 'approve_session', 'deny', 'cancel'],
      },
    ],
    refusal: { decision: 'decline' },
    cancellation: { decision: 'cancel' },
  });
  expect(['approve', 'approve_session', 'deny', 'cancel'].map((option) => question.decide([option]))).toMatchObject([
    { response: { decision: 'accept' } },
    { response: { decision: 'acceptForSession' } },
    { response: { decision: 'decline' } },
    { response: { decision: 'cancel' } },
  ]);
});

test('describes an unnamed command and a network connection', () => {
  expect(toCommandApproval(PARAMS).questions[0]?.question).toBe(
    'Codex wants to execute: an action that it does not name',
  );
  const networkApprovalContext = { host: 'example.com', protocol: 'https' };
  expect(toCommandApproval({ ...PARAMS, networkApprovalContext }).questions[0]?.question).toBe(
    'Codex wants to execute: a connection to example.com',
  );
});

test('spells out an offered rule before it can be approved', () => {
  const rule = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ['git', 'push'] } };
  const question = toCommandApproval({ ...PARAMS, command: 'git push', availableDecisions: ['accept', rule] });

  expect(question.questions).toEqual([
    {
      question:
        "Codex wants to execute: git push\napprove_rule also writes a rule to the user's own Codex: from now on, in every session, commands run without asking if they begin with:\n> git push",
      options: ['approve', 'approve_session', 'approve_rule', 'deny', 'cancel'],
    },
  ]);
  expect(question.decide(['approve_rule'])).toMatchObject({ response: { decision: rule } });
});

verifies('codex:approval:patch', 'asks about a patch with its files and diff', () => {
  const files = [
    { path: '/a', kind: 'add', diff: '+a\n' },
    { path: '/b', kind: 'delete' },
  ] as const;
  const question = toPatchApproval({ ...PARAMS, reason: 'because', grantRoot: '/w' }, files);

  expect(question).toMatchObject({
    type: 'patch_approval',
    questions: [
      {
        question:
          'Codex wants to modify /a, /b:\nReason given by the model:\n> because\nFor the rest of the session it asks for write access to: /w\n\nadd /a\n> +a\n\ndelete /b',
        options: ['approve', 'approve_session', 'deny', 'cancel'],
      },
    ],
    details: {
      files: [
        { path: '/a', kind: 'add' },
        { path: '/b', kind: 'delete' },
      ],
    },
  });
  expect(toPatchApproval(PARAMS, []).questions[0]?.question).toBe('Codex wants to modify files:');
  const long = toPatchApproval(PARAMS, [{ path: '/a', kind: 'add', diff: '+'.repeat(600_000) }]).questions[0]?.question;
  expect(long).toMatch(/… \[100000 more characters\]$/);
});

test('grants only the requested permissions, for the turn or the session', () => {
  const fileSystem = { read: null, write: ['/abs'] };
  const question = toPermissionApproval({
    ...PARAMS,
    cwd: '/w',
    reason: 'need it',
    permissions: { network: null, fileSystem },
  });

  expect(question).toMatchObject({
    type: 'permission_approval',
    questions: [
      {
        question:
          'Codex asks for permissions: {"fileSystem":{"read":null,"write":["/abs"]}}\nin /w\nReason given by the model:\n> need it',
        options: ['approve', 'approve_session', 'deny'],
      },
    ],
    refusal: { permissions: {}, scope: 'turn' },
    cancellation: { permissions: {}, scope: 'turn' },
  });
  expect(['approve', 'approve_session', 'deny'].map((option) => question.decide([option]))).toMatchObject([
    { response: { permissions: { fileSystem }, scope: 'turn' } },
    { response: { permissions: { fileSystem }, scope: 'session' } },
    { response: { permissions: {}, scope: 'turn' } },
  ]);
});

verifies('codex:approval:other', 'asks about an unknown kind of approval as a command', () => {
  expect(toUnknownApproval('item/launch/requestApproval', { rocket: 1 })).toMatchObject({
    type: 'command_approval',
    questions: [
      { question: 'Codex wants to execute: item/launch/requestApproval {"rocket":1}', options: ['approve', 'deny'] },
    ],
    refusal: { decision: 'decline' },
  });
});
