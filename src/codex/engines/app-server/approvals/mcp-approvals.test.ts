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
    'no JSON',
    'Bonn',
    /^"Bonn" is no answer to this question\. Options: deny, decline, cancel, or the form as a JSON object\.$/,
  ],
  ['no object', '["Bonn"]', /is no answer to this question/],
  ['what does not fit', '{"city":7}', /^The answer does not fit the form: .*city/],
  ['what lacks something', '{}', /^The answer does not fit the form: .*city/],
  ['a member of every object', 'constructor', /is no answer to this question/],
])('a form is not filled by %s', async (_, answer, message) => {
  await expect(toMcpApproval(FORM).decide([answer])).rejects.toMatchObject({
    code: 'BAD_ARGUMENTS',
    message: expect.stringMatching(message),
  });
});

test('a form is asked with its schema, and filled, refused or left', async () => {
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
    summary: 'answered',
  });
  expect(await question.decide(['deny'])).toMatchObject({ response: DECLINED });
  expect(await question.decide([' cancel '])).toMatchObject({ response: CANCELLED });
});

test('a tool is approved as long as the server of Codex lets it be remembered', () => {
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

test('an address can be approved; what only the product itself can show cannot', () => {
  const link = toMcpApproval({ serverName: 'bank', mode: 'url', message: 'Sign in', url: 'https://bank.example/' });
  expect(link.questions).toEqual([
    {
      question: 'Question from the MCP server bank\n> Sign in\nIt asks you to open this address: https://bank.example/',
      options: ['approve', 'deny', 'cancel'],
    },
  ]);

  expect(toMcpApproval({ serverName: 'bank', mode: 'hologram' }).questions).toEqual([
    { question: 'Question from the MCP server bank\n> hologram', options: ['deny', 'cancel'] },
  ]);
});

test('null for an optional field of a form counts as omitted', async () => {
  const properties = { name: { type: 'string' }, age: { type: 'integer' } };
  const requestedSchema = { type: 'object', properties, required: ['name'] };
  const form = toMcpApproval({ serverName: 'art', mode: 'form', message: 'Who?', requestedSchema });
  expect(await form.decide(['{"name":"Ada","age":null}'])).toMatchObject({
    response: { action: 'accept', content: { name: 'Ada' } },
  });
  await expect(form.decide(['{"name":null}'])).rejects.toMatchObject({ code: 'BAD_ARGUMENTS' });
});
