import fc from 'fast-check';
import { expect, test } from 'vitest';
import { pendingApproval } from '../../../test/contracts/pending-approval.ts';
import { propertyRuns } from '../../../test/property-runs.ts';
import { verifies } from '../../../test/verifies.ts';
import type { ApprovalRequest } from '../approvals/approval-request.ts';
import type { Item } from '../item-types.ts';
import { Session } from '../sessions/session.ts';
import { toStatusView } from './status-view.ts';

const ALL = { outputLines: 50 };
const USAGE = { inputTokens: 9, cachedInputTokens: 1, outputTokens: 2, reasoningOutputTokens: 0 };

verifies(
  ['codex:status:error-reason', 'codex:status:words'],
  'a session in error reports the reason and no result',
  () => {
    const session = createSession();
    const failure = { kind: 'usage_limit', message: 'Come back later.', resetsAt: '2026-01-01T00:00:00.000Z' } as const;
    session.apply({ kind: 'turn-started', turnId: '1' });
    session.apply(message('1', 'm', 'Half of it.'));
    session.apply({ kind: 'turn-ended', turnId: '1', end: { status: 'failed', failure } });

    expect(toStatusView(session, ALL)).toEqual({
      sessionId: 's',
      status: 'error',
      error: { ...failure, hint: expect.stringMatching(/limit/) },
      recentOutput: ['Half of it.'],
      itemEvents: [{ itemType: 'agent_message', status: 'completed' }],
      filesChanged: [],
      turnCount: 1,
      turnSeconds: 0,
      workingDirectory: '/project',
      cursor: 'ab-1',
    });
  },
);

test('returns everything known about a finished session', () => {
  const session = createSession();
  const plan = [{ step: 'Look.', status: 'completed' as const }];
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply({ kind: 'plan', turnId: '1', plan });
  session.apply({ kind: 'item', turnId: '1', item: file('f', '/project/a') });
  session.apply(message('1', 'm', 'Done.'));
  session.apply({ kind: 'usage', total: USAGE, turn: USAGE, contextWindow: 1000 });
  session.apply({ kind: 'warning', message: 'careful' });
  session.apply({ kind: 'turn-ended', turnId: '1', end: { status: 'completed', lastMessage: 'Done.' } });
  session.opened = { sessionId: 's', cwd: '/project', model: 'm', approvalPolicy: 'never', sandbox: 'read-only' };

  expect(toStatusView(session, ALL)).toEqual({
    sessionId: 's',
    status: 'done',
    result: 'Done.',
    recentOutput: [],
    itemEvents: [
      { itemType: 'file_change', status: 'completed', summary: '/project/a' },
      { itemType: 'agent_message', status: 'completed' },
    ],
    plan,
    filesChanged: [{ path: '/project/a', kind: 'add' }],
    usage: USAGE,
    turnUsage: USAGE,
    contextWindow: 1000,
    turnCount: 1,
    turnSeconds: 0,
    workingDirectory: '/project',
    model: 'm',
    approvalPolicy: 'never',
    sandbox: 'read-only',
    warnings: ['careful'],
    cursor: 'ab-2',
  });
});

verifies(
  'codex:status:pending-question',
  'lists pending questions while they wait, the oldest also as pendingQuestion',
  () => {
    const session = createSession();
    session.beginTurn();
    expect(toStatusView(session, ALL)).not.toHaveProperty('pendingQuestion');
    const questions = ['first', 'second'].map((text, index) =>
      pendingApproval(question(text), { id: `approval_${index}`, isPrompting: index === 1 }),
    );
    session.pendingApprovals.push(...questions);
    const views = [
      {
        id: 'approval_0',
        type: 'command_approval',
        questions: [{ question: 'first', options: ['approve', 'deny'] }],
        askedAt: '1970-01-01T00:00:00.000Z',
      },
      {
        id: 'approval_1',
        type: 'command_approval',
        questions: [{ question: 'second', options: ['approve', 'deny'] }],
        askedAt: '1970-01-01T00:00:00.000Z',
        askedByElicitation: true,
      },
    ];

    expect(toStatusView(session, ALL)).toMatchObject({
      status: 'awaiting_approval',
      pendingQuestion: views[0],
      pendingQuestions: views,
    });
  },
);

verifies(
  ['codex:status:recent-output', 'codex:status:output-lines'],
  'returns the latest outputs, oldest first',
  () => {
    const session = createSession();
    session.apply({ kind: 'turn-started', turnId: '1' });
    session.apply({ kind: 'item', turnId: '1', item: file('f', '/a') });
    for (const text of ['one', 'two', 'three']) session.apply(message('1', text, text));

    expect(toStatusView(session, { outputLines: 2 }).recentOutput).toEqual(['two', 'three']);
    expect(toStatusView(session, { outputLines: 0 }).recentOutput).toEqual([]);
  },
);

test('returns only what is new since the cursor, each item once', () => {
  const session = createSession();
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply(message('1', 'a', 'old'));
  const { cursor } = toStatusView(session, ALL);
  const command: Item = { id: 'c', type: 'command_execution', status: 'started', summary: 'ls' };
  session.apply({ kind: 'item', turnId: '1', item: command });
  session.apply({ kind: 'item', turnId: '1', item: { ...command, status: 'completed' } });
  session.apply(message('1', 'b', 'new'));

  expect(toStatusView(session, { ...ALL, cursor })).toMatchObject({
    recentOutput: ['new'],
    itemEvents: [
      { itemType: 'command_execution', status: 'completed', summary: 'ls' },
      { itemType: 'agent_message', status: 'completed' },
    ],
  });
  expect(toStatusView(session, { ...ALL, cursor: 'of another run' })).toMatchObject({ missedEvents: true });
});

test('reports omitted new messages, but not older ones that were not requested', () => {
  const session = createSession();
  session.apply({ kind: 'turn-started', turnId: '1' });
  for (const text of ['one', 'two', 'three']) session.apply(message('1', text, text));

  expect(toStatusView(session, { outputLines: 2, cursor: 'ab-0' })).toMatchObject({
    recentOutput: ['two', 'three'],
    truncated: true,
  });
  expect(toStatusView(session, { outputLines: 2, cursor: 'ab-1' })).not.toHaveProperty('truncated');
  expect(toStatusView(session, { outputLines: 2 })).not.toHaveProperty('truncated');
});

test('drops an unfinished message when its turn ends, also with a cursor', () => {
  const session = createSession();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const open: Item = { id: 'o', type: 'agent_message', status: 'started', summary: '', text: '' };
  session.apply({ kind: 'item', turnId: '1', item: open });
  session.apply(message('1', 'm', 'Fine.'));
  const reported = [{ itemType: 'agent_message', status: 'completed' }];
  expect(toStatusView(session, ALL).itemEvents).toEqual([
    { itemType: 'agent_message', status: 'started' },
    ...reported,
  ]);
  session.apply({ kind: 'turn-ended', turnId: '1', end: { status: 'completed', lastMessage: 'Fine.' } });

  expect(toStatusView(session, ALL).itemEvents).toEqual(reported);
  expect(toStatusView(session, { ...ALL, cursor: 'ab-0' }).itemEvents).toEqual(reported);
});

test('reports truncation', () => {
  const session = createSession();
  const long = 'x'.repeat(30_000);
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply(message('1', 'a', 'short'));
  session.apply(message('1', 'm', long));
  session.apply({ kind: 'turn-ended', turnId: '1', end: { status: 'completed', lastMessage: long } });
  expect(toStatusView(session, ALL)).toMatchObject({
    result: 'x'.repeat(24_000),
    resultCursor: expect.stringMatching(/^[0-9a-f]{8}-24000$/),
    recentOutput: ['short'],
    truncated: true,
  });
});

test('a status never exceeds its limit, whatever the session contains', () => {
  // Described instead of written out, so that a counterexample is readable.
  const text = fc.record({ one: fc.constantFrom('a', 'word ', '字', '"', '\n'), times: fc.nat(6_000) });
  const contents = fc.record({
    texts: fc.array(text, { maxLength: 6 }),
    plan: fc.array(text, { maxLength: 80 }),
    files: fc.nat(1500),
    warnings: fc.array(text, { maxLength: 25 }),
    questions: fc.array(fc.array(text, { minLength: 1, maxLength: 3 }), { maxLength: 8 }),
    end: fc.constantFrom('running', 'done', 'failed'),
  });
  fc.assert(
    fc.property(contents, fc.boolean(), (content, hasCursor) => {
      const view = toStatusView(fill(content), { outputLines: 50, cursor: hasCursor ? 'ab-0' : undefined });

      expect(JSON.stringify(view).length).toBeLessThan(MAX_STATUS_CHARS);
    }),
    propertyRuns(60),
  );
});

/** About 20 000 tokens. No client shows its model more. */
const MAX_STATUS_CHARS = 80_000;

interface Described {
  readonly one: string;
  readonly times: number;
}

interface Content {
  readonly texts: readonly Described[];
  readonly plan: readonly Described[];
  readonly files: number;
  readonly warnings: readonly Described[];
  readonly questions: readonly (readonly Described[])[];
  readonly end: string;
}

function fill(content: Content): Session {
  const session = createSession();
  const texts = content.texts.map(write);
  const lastMessage = texts.at(-1);
  session.apply({ kind: 'turn-started', turnId: '1' });
  for (const [index, reply] of texts.entries()) session.apply(message('1', `m${index}`, reply));
  session.apply({
    kind: 'plan',
    turnId: '1',
    plan: content.plan.map((step) => ({ step: write(step), status: 'pending' })),
  });
  for (let count = 0; count < content.files; count++)
    session.apply({ kind: 'item', turnId: '1', item: file(`f${count}`, `/project/${'folder/'.repeat(20)}${count}`) });
  for (const warning of content.warnings) session.apply({ kind: 'warning', message: write(warning) });
  session.apply({ kind: 'retrying', message: texts.join('') });
  if (content.end === 'done') session.endTurn({ status: 'completed', lastMessage });
  if (content.end === 'failed')
    session.endTurn({ status: 'failed', failure: { kind: 'other', message: lastMessage ?? '' } });
  if (content.end === 'running')
    for (const [index, parts] of content.questions.entries())
      session.pendingApprovals.push(pendingApproval(question(...parts.map(write)), { id: `q${index}` }));
  return session;
}

function write({ one, times }: Described): string {
  return one.repeat(times);
}

function createSession(): Session {
  return new Session({ sessionId: 's', cwd: '/project' }, {}, { maxEvents: 500, runId: 'ab' });
}

function message(turnId: string, id: string, text: string) {
  const item: Item = { id, type: 'agent_message', status: 'completed', summary: text.slice(0, 200), text };
  return { kind: 'item', turnId, item } as const;
}

function file(id: string, path: string): Item {
  return { id, type: 'file_change', status: 'completed', summary: path.slice(0, 200), files: [{ path, kind: 'add' }] };
}

function question(...texts: string[]): ApprovalRequest {
  return {
    type: 'command_approval',
    turnId: '1',
    itemId: undefined,
    questions: texts.map((text) => ({ question: text, options: ['approve', 'deny'] })),
    details: {},
    decide: () => expect.unreachable(),
    refusal: undefined,
    cancellation: undefined,
  };
}
