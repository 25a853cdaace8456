import { expect, test } from 'vitest';
import { toMcpApproval } from './mcp-approvals.ts';

const DECLINED = { action: 'decline', content: null, _meta: null };
const CANCELLED = { action: 'cancel', content: null, _meta: null };
const SCHEMA = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
};
const FORM = { turnId: 't', serverName: 'maps', mode: 'form', message: 'Which city?', requestedSchema: SCHEMA };

test.each([
  [
    'invalid JSON',
    'Bonn',
    /^"Bonn" is not a valid answer to this question\. Options: deny, decline, cancel, or the form as a JSON object\.$/,
  ],
  ['a non-object', '["Bonn"]', /is not a valid answer to this question/],
  ['a value of the wrong type', '{"city":7}', /^The answer does not match the form: .*city/],
  ['a missing field', '{}', /^The answer does not match the form: .*city/],
  ['an inherited property name', 'constructor', /is not a valid answer to this question/],
])('rejects a form answer with %s', async (_, answer, message) => {
  await expect(toMcpApproval(FORM).decide([answer])).rejects.toMatchObject({
    code: 'BAD_ARGUMENTS',
    message: expect.stringMatching(message),
  });
});

test('sends a form with its schema, and accepts, declines or cancels it', async () => {
  const question = toMcpApproval(FORM);
  expect(question).toMatchObject({
    type: 'mcp_elicitation',
    turnId: 't',
    questions: [
      {
        question: `Question from the MCP server maps\n> Which city?\nAnswer with JSON for this schema, or with deny or cancel: ${JSON.stringify(SCHEMA)}`,
        isOpen: true,
      },
    ],
    details: { server: 'maps', mode: 'form', message: 'Which city?', schema: SCHEMA },
    refusal: DECLINED,
    cancellation: CANCELLED,
  });

  expect(await question.decide([' {"city":"Bonn: a"} '])).toEqual({
    response: { action: 'accept', content: { city: 'Bonn: a' }, _meta: null },
    note: undefined,
    isApproval: true,
    summary: 'answered',
  });
  expect(await question.decide(['deny'])).toMatchObject({ response: DECLINED });
  expect(await question.decide([' cancel '])).toMatchObject({ response: CANCELLED });
});

test('offers to remember a tool approval only as far as Codex allows', () => {
  const _meta = {
    codex_approval_kind: 'mcp_tool_call',
    persist: ['session', 'always'],
    tool_params: { a: 1 },
    tool_description: 'Draws.',
  };
  const question = toMcpApproval({ serverName: 'art', message: 'Allow art to run draw?', mode: 'form', _meta });

  expect(question).toMatchObject({
    type: 'mcp_tool_approval',
    questions: [
      {
        question: 'Codex wants to call a tool of the MCP server art\n> Allow art to run draw?\nArguments: {"a":1}',
        options: ['approve', 'approve_session', 'approve_always', 'deny', 'cancel'],
      },
    ],
    details: { server: 'art', arguments: { a: 1 }, description: 'Draws.' },
  });
  const accept = (persist: unknown) => ({ response: { action: 'accept', content: null, _meta: persist } });
  expect(
    ['approve', 'approve_session', 'approve_always', 'deny', 'cancel'].map((option) => question.decide([option])),
  ).toMatchObject([
    accept(null),
    accept({ persist: 'session' }),
    accept({ persist: 'always' }),
    { response: DECLINED },
    { response: CANCELLED },
  ]);
  const once = toMcpApproval({ serverName: 'art', _meta: { codex_approval_kind: 'mcp_tool_call' } });
  expect(once.questions).toEqual([
    { question: 'Codex wants to call a tool of the MCP server art', options: ['approve', 'deny', 'cancel'] },
  ]);
});

test('allows approval of a URL, but not of an unknown mode', () => {
  const link = toMcpApproval({ serverName: 'bank', mode: 'url', message: 'Sign in', url: 'https://bank.example/' });
  expect(link.questions).toEqual([
    {
      question: 'Question from the MCP server bank\n> Sign in\nIt asks you to open this URL: https://bank.example/',
      options: ['approve', 'deny', 'cancel'],
    },
  ]);

  expect(toMcpApproval({ serverName: 'bank', mode: 'hologram' }).questions).toEqual([
    { question: 'Question from the MCP server bank\n> hologram', options: ['deny', 'cancel'] },
  ]);
});

test('treats null for an optional form field as omitted', async () => {
  const properties = { name: { type: 'string' }, age: { type: 'integer' } };
  const requestedSchema = { type: 'object', properties, required: ['name'] };
  const form = toMcpApproval({ serverName: 'art', mode: 'form', message: 'Who?', requestedSchema });
  expect(await form.decide(['{"name":"Ada","age":null}'])).toMatchObject({
    response: { action: 'accept', content: { name: 'Ada' } },
  });
  await expect(form.decide(['{"name":null}'])).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
});
