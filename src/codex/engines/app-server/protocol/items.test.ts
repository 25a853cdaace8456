import { expect, test } from 'vitest';
import { toItem, toPlan } from './items.ts';

test.each([
  ['nothing', undefined],
  ['a non-object', 'agentMessage'],
  ['no id', { type: 'agentMessage', text: 'hi' }],
  ['no type', { id: 'i', text: 'hi' }],
  ['a user message', { id: 'i', type: 'userMessage', content: [] }],
  ['the start of a review', { id: 'i', type: 'enteredReviewMode', review: 'current changes' }],
  ['the end of a review, which is also sent as a message', { id: 'i', type: 'exitedReviewMode', review: 'One bug.' }],
])('ignores an invalid item: %s', (_, raw) => {
  expect(toItem(raw, true)).toBeUndefined();
});

test.each([
  [
    { type: 'agentMessage', text: 'Done.\nReally.' },
    { type: 'agent_message', summary: 'Done. Really.', text: 'Done.\nReally.' },
  ],
  [
    { type: 'reasoning', summary: ['I', 'think'], content: ['raw'] },
    { type: 'reasoning', summary: 'I think' },
  ],
  [
    { type: 'reasoning', summary: [], content: ['raw'] },
    { type: 'reasoning', summary: 'raw' },
  ],
  [
    { type: 'plan', text: '1. Look.' },
    { type: 'todo_list', summary: '1. Look.' },
  ],
  [
    { type: 'commandExecution', command: 'ls -l' },
    { type: 'command_execution', summary: 'ls -l' },
  ],
  [
    { type: 'mcpToolCall', server: 'echo', tool: 'say' },
    { type: 'mcp_tool_call', summary: 'echo/say' },
  ],
  [
    { type: 'webSearch', query: 'weather' },
    { type: 'web_search', summary: 'weather' },
  ],
  [
    { type: 'dynamicToolCall', tool: 'draw' },
    { type: 'unknown', summary: 'draw' },
  ],
  [
    { type: 'somethingNew', text: 7 },
    { type: 'unknown', summary: 'somethingNew' },
  ],
  [{ type: 'toString' }, { type: 'unknown', summary: 'toString' }],
  [
    { type: 'agentMessage', text: 7 },
    { type: 'agent_message', summary: '', text: '' },
  ],
])('converts %j', (raw, item) => {
  expect(toItem({ id: 'i', ...raw }, true)).toEqual({ id: 'i', status: 'completed', ...item });
});

test('lists the files of a change with its kind and diff', () => {
  const changes = [
    { path: '/a', kind: { type: 'add' }, diff: '+a' },
    { path: '/b', kind: 'delete' },
    { path: '/c', kind: { type: 'update', movePath: null }, diff: 7 },
    'nonsense',
  ];

  expect(toItem({ id: 'i', type: 'fileChange', changes, status: 'inProgress' }, false)).toEqual({
    id: 'i',
    type: 'file_change',
    status: 'started',
    summary: '/a, /b, /c',
    files: [
      { path: '/a', kind: 'add', diff: '+a' },
      { path: '/b', kind: 'delete' },
      { path: '/c', kind: 'update' },
    ],
  });
});

test.each([
  [{ status: 'inProgress' }, false, 'started'],
  [{ status: 'inProgress' }, true, 'completed'],
  [{ status: 'completed', exitCode: 0 }, true, 'completed'],
  [{ status: 'failed' }, true, 'failed'],
  [{ status: 'declined' }, true, 'failed'],
  [{ status: 'declined' }, false, 'failed'],
  [{}, true, 'completed'],
])('%j with isOver %s is %s', (raw, isOver, status) => {
  expect(toItem({ id: 'i', type: 'commandExecution', command: 'ls', ...raw }, isOver)).toEqual({
    id: 'i',
    type: 'command_execution',
    status,
    summary: 'ls',
  });
});

test('keeps the exit code and the end of the output of a failed command, without escape sequences', () => {
  const raw = { id: 'i', type: 'commandExecution', command: 'npm test', status: 'completed', exitCode: 1 };
  const aggregatedOutput = `${'x'.repeat(5_000)}\n\u001b[31m2 failed\u001b[0m\n`;
  expect(toItem({ ...raw, aggregatedOutput }, true)).toMatchObject({
    status: 'failed',
    exitCode: 1,
    outputTail: expect.stringMatching(/^x{1900,2000}\n2 failed$/),
    omittedOutput: aggregatedOutput.length - 2_000,
  });
  const fine = toItem({ ...raw, aggregatedOutput, exitCode: 0 }, true);
  expect(fine).not.toHaveProperty('exitCode');
  expect(fine).not.toHaveProperty('outputTail');
});

test('truncates a summary', () => {
  const item = toItem({ id: 'i', type: 'commandExecution', command: 'x'.repeat(1000) }, false);
  expect(item?.summary).toBe(`${'x'.repeat(199)}…`);
});

test('reads plans of all versions, and returns an empty plan for invalid input', () => {
  expect(toPlan('no list')).toEqual([]);
  expect(
    toPlan([
      { step: 'a', status: 'completed' },
      { step: 'b', status: 'inProgress' },
      { step: 'c', status: 'in_progress' },
      { status: 'odd' },
      7,
    ]),
  ).toEqual([
    { step: 'a', status: 'completed' },
    { step: 'b', status: 'in_progress' },
    { step: 'c', status: 'in_progress' },
    { step: '', status: 'pending' },
  ]);
});
