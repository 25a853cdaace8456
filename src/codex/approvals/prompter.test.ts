import { expect, test } from 'vitest';
import type { ApprovalRequest } from './approval-request.ts';
import { createElicitationPrompter } from './prompter.ts';

const { signal } = new AbortController();
const LIMITS = { timeoutMs: 1000, signal };
const APPROVAL = question({ questions: [{ question: 'Codex wants to execute: ls', options: ['approve', 'deny'] }] });

test.each([
  ['an acceptance without content', { action: 'accept' }, 'refused'],
  ['an acceptance with an unknown option', { action: 'accept', content: { decision: 'yes' } }, 'refused'],
  ['an acceptance with a value of the wrong type', { action: 'accept', content: { decision: true } }, 'refused'],
  ['a refusal', { action: 'decline' }, 'refused'],
  ['a refusal with an approve decision', { action: 'decline', content: { decision: 'approve' } }, 'refused'],
  ['a closed dialog', { action: 'cancel' }, 'unanswered'],
  ['an answer without an action', { content: { decision: 'approve' } }, 'unanswered'],
  ['nothing', null, 'unanswered'],
  ['a plain string', 'approve', 'unanswered'],
])('%s approves nothing', async (_, answer, kind) => {
  expect(await createElicitationPrompter(async () => answer).prompt(APPROVAL, LIMITS)).toEqual({ kind });
});

test('passes on an error of the client', async () => {
  const asker = createElicitationPrompter(() => Promise.reject(new Error('gone')));
  await expect(asker.prompt(APPROVAL, LIMITS)).rejects.toThrow('gone');
});

test('sends an approval as a form with options and a reason, and joins both into one answer', async () => {
  const sent: unknown[] = [];
  const answers = [
    { action: 'accept', content: { decision: 'deny', reason: 'too: risky' } },
    { action: 'accept', content: { decision: 'approve', reason: '  ' } },
  ];
  const asker = createElicitationPrompter(async (params, limits) => {
    sent.push(params);
    expect(limits).toBe(LIMITS);
    return answers.shift();
  });

  expect(await asker.prompt(APPROVAL, LIMITS)).toEqual({ kind: 'answers', answers: ['deny: too: risky'] });
  expect(await asker.prompt(APPROVAL, LIMITS)).toEqual({ kind: 'answers', answers: ['approve'] });
  expect(sent[0]).toEqual({
    message: 'Codex wants to execute: ls',
    requestedSchema: {
      type: 'object',
      properties: {
        decision: { type: 'string', title: 'Decision', enum: ['approve', 'deny'] },
        reason: { type: 'string', title: 'Reason', description: 'Optional. Sent to Codex.' },
      },
      required: ['decision'],
    },
  });
});

test('sends user questions as one form with a member per question', async () => {
  const asked = question({
    type: 'user_input',
    questions: [
      { question: 'Codex asks:\n> Which color?\n> - Red: warm', options: ['Red', 'Blue'] },
      { question: 'Codex asks:\n> Why?', options: [], isOpen: true },
      { question: 'Codex asks:\n> Where?', options: ['Here'], isOpen: true },
    ],
  });
  const sent: unknown[] = [];
  const content = { answer1: 'Red', answer2: 'a: b', answer3: 'There' };
  const asker = createElicitationPrompter(async (params) => {
    sent.push(params);
    return { action: 'accept', content: sent.length === 1 ? content : { answer1: 'Red' } };
  });

  expect(await asker.prompt(asked, LIMITS)).toEqual({ kind: 'answers', answers: ['Red', 'a: b', 'There'] });
  expect(await asker.prompt(asked, LIMITS)).toEqual({ kind: 'refused' });
  expect(sent[0]).toEqual({
    message: 'Codex asks:\n> Which color?\n> - Red: warm\n\nCodex asks:\n> Why?\n\nCodex asks:\n> Where?',
    requestedSchema: {
      type: 'object',
      properties: {
        answer1: { type: 'string', title: '> Which color?', enum: ['Red', 'Blue'] },
        answer2: { type: 'string', title: '> Why?' },
        answer3: { type: 'string', title: '> Where?', description: '> For example: Here' },
      },
      required: ['answer1', 'answer2', 'answer3'],
    },
  });
});

test('forwards the form of a server unchanged', async () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } };
  const asked = question({
    type: 'mcp_elicitation',
    questions: [{ question: 'long text', options: ['deny'], isOpen: true }],
    details: { server: 'maps', message: 'Which city?', schema },
  });
  const sent: unknown[] = [];
  const asker = createElicitationPrompter(async (params) => {
    sent.push(params);
    return { action: 'accept', content: { city: 'Bonn' } };
  });

  expect(await asker.prompt(asked, LIMITS)).toEqual({ kind: 'answers', answers: ['{"city":"Bonn"}'] });
  expect(sent).toEqual([
    {
      message: 'Question from the MCP server maps\n> Which city?\nThe fields were written by that server.',
      requestedSchema: schema,
    },
  ]);
});

function question(over: Partial<ApprovalRequest>): ApprovalRequest {
  return {
    type: 'command_approval',
    turnId: undefined,
    itemId: undefined,
    questions: [],
    details: {},
    decide: () => expect.unreachable(),
    refusal: undefined,
    cancellation: undefined,
    ...over,
  };
}
