import { beforeEach, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { toolOutputs } from '../codex/model-request.ts';
import { fixture } from '../fixtures/paths.ts';
import { requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

let answer: JsonObject = {};
const asked: JsonObject[] = [];
beforeEach(() => {
  asked.length = 0;
});

const shared = shareTestbed(
  {
    extra: { features: { default_mode_request_user_input: true } },
    mcpServers: { forms: { ...fixture('requests-elicitation'), default_tools_approval_mode: 'approve' } },
  },
  {
    capabilities: { elicitation: { form: {} } },
    onRequest: (_method, params) => {
      asked.push(params);
      return answer;
    },
  },
);

const QUESTIONS = [
  {
    id: 'color',
    header: 'Color',
    question: 'Which color?',
    options: [
      { label: 'Red', description: 'Like a tomato' },
      { label: 'Blue', description: 'Like the sea' },
    ],
  },
  {
    id: 'size',
    header: 'Size',
    question: 'Which size?',
    options: [
      { label: 'Small', description: 'Fits' },
      { label: 'Large', description: 'Does not' },
    ],
  },
];
const askUser = [
  { tool: { name: 'request_user_input', arguments: { questions: QUESTIONS } } },
  { message: 'thank you' },
];
const askByServer = [{ mcp: { server: 'forms', tool: 'ask' } }, { message: 'thank you' }];

const output = (sessionId: string) => {
  const last = requestsOf(shared.testbed.model, sessionId).at(-1);
  return last === undefined ? undefined : toolOutputs(last).at(-1);
};

test('sends user questions as one form', async () => {
  answer = { action: 'accept', content: { answer1: 'Blue', answer2: 'Small: really' } };
  const flow = await start(shared.client, askUser);
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'thank you' });
  expect(asked).toEqual([
    {
      message:
        'Codex asks:\n> Which color?\n> - Red: Like a tomato\n> - Blue: Like the sea\n\nCodex asks:\n> Which size?\n> - Small: Fits\n> - Large: Does not',
      requestedSchema: {
        type: 'object',
        properties: {
          answer1: { type: 'string', title: '> Which color?', description: '> For example: Red, Blue' },
          answer2: { type: 'string', title: '> Which size?', description: '> For example: Small, Large' },
        },
        required: ['answer1', 'answer2'],
      },
    },
  ]);
  expect(JSON.parse(output(flow.id) ?? '')).toEqual({
    answers: { color: { answers: ['Blue'] }, size: { answers: ['Small: really'] } },
  });
});

test('a user who declines gives no answers, and the turn continues', async () => {
  answer = { action: 'decline' };
  const flow = await start(shared.client, askUser);
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'thank you' });
  expect(JSON.parse(output(flow.id) ?? '')).toEqual({ answers: {} });
});

test('a form from an MCP server reaches the user unchanged, and the answer reaches the server', async () => {
  answer = { action: 'accept', content: { name: 'Ada', agree: true } };
  const flow = await start(shared.client, askByServer);
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'thank you' });
  expect(asked).toEqual([
    {
      message: 'Question from the MCP server forms\n> Who are you?\nThe fields were written by that server.',
      requestedSchema: {
        type: 'object',
        properties: { name: { type: 'string' }, agree: { type: 'boolean', default: false } },
        required: ['name'],
      },
    },
  ]);
  expect(output(flow.id)).toContain('{"action":"accept","content":{"name":"Ada","agree":true}}');
});

test('an answer that does not match the form leaves the question pending', async () => {
  answer = { action: 'accept', content: { name: 7 } };
  const flow = await start(shared.client, askByServer);
  expect(await flow.settled()).toMatchObject({
    status: 'awaiting_approval',
    pendingQuestion: { type: 'mcp_elicitation' },
  });
  await flow.respond((await flow.question()).id, '{"name":"Grace"}');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(output(flow.id)).toContain('{"action":"accept","content":{"name":"Grace"}}');
});
