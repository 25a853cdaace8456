import { expect, test } from 'vitest';
import { createEventReader, toTurnEnd } from './events.ts';

const OF = { threadId: 's', turnId: 't' };
const DONE = { step: 'a', status: 'completed' };

test.each([
  ['an unknown notification', 'thread/somethingNew', {}],
  ['a message delta', 'item/agentMessage/delta', { delta: 'x' }],
  ['an invalid item', 'item/started', { item: null }],
  ['a user message', 'item/completed', { item: { id: 'u', type: 'userMessage' } }],
  ['a fatal error, which the end of the turn repeats', 'error', { error: { message: 'no' }, willRetry: false }],
  ['rate limits', 'account/rateLimits/updated', { rateLimits: {} }],
  ['usage without numbers', 'thread/tokenUsage/updated', { tokenUsage: null }],
])('emits no event for %s', (_, method, params) => {
  expect(createEventReader().read(method, { ...OF, ...params })).toEqual([]);
});

test.each([
  ['turn/started', { turn: { id: 't' } }, { kind: 'turn-started', turnId: 't' }],
  ['turn/diff/updated', { diff: '+a' }, { kind: 'diff', turnId: 't', diff: '+a' }],
  [
    'error',
    { error: { message: 'Reconnecting... 1/5', additionalDetails: 'no network' }, willRetry: true },
    { kind: 'retrying', message: 'Reconnecting... 1/5: no network' },
  ],
  ['warning', { message: 'careful' }, { kind: 'warning', message: 'careful' }],
  [
    'item/started',
    { item: { id: 'i', type: 'commandExecution', command: 'ls', status: 'inProgress' } },
    { kind: 'item', turnId: 't', item: { id: 'i', type: 'command_execution', status: 'started', summary: 'ls' } },
  ],
  [
    'turn/plan/updated',
    { plan: [DONE, { step: 'b', status: 'inProgress' }] },
    {
      kind: 'item',
      turnId: 't',
      item: {
        id: 'plan-t',
        type: 'todo_list',
        status: 'in_progress',
        summary: '1 of 2 done; now: b',
        plan: [DONE, { step: 'b', status: 'in_progress' }],
      },
    },
  ],
])('%s', (method, params, event) => {
  expect(createEventReader().read(method, { ...OF, ...params })).toEqual([event]);
});

test.each([
  ['nothing', undefined, { status: 'failed', failure: { kind: 'other', message: 'Codex gave no reason.' } }],
  ['an interruption', { status: 'interrupted' }, { status: 'interrupted' }],
  ['no items', { status: 'completed' }, { status: 'completed', lastMessage: undefined }],
  [
    'items',
    {
      status: 'completed',
      items: [
        { id: '1', type: 'agentMessage', text: 'a' },
        { id: '2', type: 'reasoning' },
      ],
    },
    { status: 'completed', lastMessage: 'a' },
  ],
  [
    'a failure',
    { status: 'failed', error: { message: 'no', codexErrorInfo: 'contextWindowExceeded' } },
    { status: 'failed', failure: { kind: 'context_window', message: 'no' } },
  ],
])('reads the end of a turn: %s', (_, turn, end) => {
  expect(toTurnEnd(turn)).toEqual(end);
});

test('knows the files of a change only while it is pending', () => {
  const reader = createEventReader();
  const item = { id: 'f', type: 'fileChange', changes: [{ path: '/a', kind: 'add', diff: '+a' }] };
  expect(reader.filesOf('f')).toEqual([]);
  reader.read('item/started', { ...OF, item });
  expect(reader.filesOf('f')).toEqual([{ path: '/a', kind: 'add', diff: '+a' }]);
  reader.read('item/completed', { ...OF, item });

  expect(reader.filesOf('f')).toEqual([]);
});

test('limits the number of pending changes', () => {
  const reader = createEventReader();
  for (let count = 0; count <= 1000; count++) {
    const item = { id: `f${count}`, type: 'fileChange', changes: [{ path: '/a', kind: 'add' }] };
    reader.read('item/started', { ...OF, item });
  }

  expect([reader.filesOf('f0').length, reader.filesOf('f1').length]).toEqual([0, 1]);
});

test('reports when an exhausted limit resets, from an earlier Codex report', () => {
  const reader = createEventReader();
  const error = { message: 'You have hit your usage limit.', codexErrorInfo: 'usageLimitExceeded' };
  const turn = { id: 't', status: 'failed', error };
  const failure = { kind: 'usage_limit', message: error.message };
  expect(reader.read('turn/completed', { ...OF, turn })).toEqual([
    { kind: 'turn-ended', turnId: 't', end: { status: 'failed', failure } },
  ]);
  const rateLimits = {
    primary: { usedPercent: 100, resetsAt: 1_800_000_000 },
    secondary: { usedPercent: 3, resetsAt: 1 },
  };
  reader.read('account/rateLimits/updated', { rateLimits });

  expect(reader.read('turn/completed', { ...OF, turn })).toEqual([
    {
      kind: 'turn-ended',
      turnId: 't',
      end: { status: 'failed', failure: { ...failure, resetsAt: '2027-01-15T08:00:00.000Z' } },
    },
  ]);
});

test('reports usage for the session and for the turn', () => {
  const reader = createEventReader();
  const count = (inputTokens: number) => ({
    inputTokens,
    cachedInputTokens: 0,
    outputTokens: 1,
    reasoningOutputTokens: 0,
  });
  const report = (total: number, last: number) =>
    reader.read('thread/tokenUsage/updated', {
      ...OF,
      tokenUsage: { total: count(total), last: { inputTokens: last }, modelContextWindow: 1000 },
    });
  const event = (total: number, turn: number | undefined) => [
    {
      kind: 'usage',
      total: count(total),
      turn: turn === undefined ? undefined : expect.objectContaining({ inputTokens: turn }),
      contextWindow: 1000,
    },
  ];

  expect(report(50, 20)).toEqual(event(50, undefined));
  reader.read('turn/started', { ...OF, turn: { id: 't' } });
  expect(report(60, 10)).toEqual(event(60, 10));
  expect(report(75, 15)).toEqual(event(75, 25));
  reader.read('turn/completed', { ...OF, turn: { id: 't', status: 'completed' } });
  reader.read('turn/started', { ...OF, turn: { id: 'u' } });
  expect(report(80, 5)).toEqual(event(80, 5));
});
