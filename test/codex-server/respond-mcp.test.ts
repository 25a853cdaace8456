import { expect, test } from 'vitest';
import { type ModelRequest, toolOutputs } from '../codex/model-request.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { itemsOf, lastPart, requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

const APPROVED = { default_tools_approval_mode: 'approve' };
const shared = shareTestbed({
  mcpServers: {
    tools: fixture('well-behaved'),
    forms: { ...fixture('requests-elicitation'), ...APPROVED },
    pages: { ...fixture('requests-elicitation', '--url'), ...APPROVED },
  },
});

const slow = (ms = 1) => [{ mcp: { server: 'tools', tool: 'slow', arguments: { ms } } }, { message: 'went on' }];
const ask = (server: string) => [{ mcp: { server, tool: 'ask' } }, { message: 'went on' }];
const last = (sessionId: string): ModelRequest => {
  const request = requestsOf(shared.testbed.model, sessionId).at(-1);
  if (request === undefined) throw new Error('the model was not asked');
  return request;
};
const output = (sessionId: string) => toolOutputs(last(sessionId)).at(-1);

test('a tool that may change something needs approval, and the question shows its arguments', async () => {
  const flow = await start(shared.client, slow(3), { approvalPolicy: 'on-request' });
  const asked = await flow.question();
  expect(asked).toEqual({
    id: asked.id,
    askedAt: expect.stringMatching(/Z$/u),
    type: 'mcp_tool_approval',
    questions: [
      {
        question:
          'Codex wants to call a tool of the MCP server tools\n> Allow the tools MCP server to run tool "slow"?\nArguments: {"ms":3}',
        options: ['approve', 'approve_session', 'approve_always', 'deny', 'cancel'],
      },
    ],
  });
  await flow.respond(asked.id, 'approve');
  const status = await flow.settled();
  expect(status).toMatchObject({ status: 'done' });
  expect(itemsOf(status)).toEqual(['mcp_tool_call completed tools/slow', 'agent_message completed']);
  expect(output(flow.id)).toContain('slept 3 ms');
});

test('a read-only tool needs no approval', async () => {
  const add = { mcp: { server: 'tools', tool: 'add', arguments: { a: 1, b: 2 } } };
  const flow = await start(shared.client, [add, { message: 'went on' }], { approvalPolicy: 'untrusted' });
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(output(flow.id)).toContain('3');
});

test('a denied tool is not called, and the model gets the reason in the same request', async () => {
  const flow = await start(shared.client, slow(), { approvalPolicy: 'on-request' });
  await flow.respond((await flow.question()).id, 'deny: not now');
  const status = await flow.settled();
  expect(status).toMatchObject({ status: 'done', result: 'went on' });
  expect(itemsOf(status)).toEqual(['mcp_tool_call failed tools/slow', 'agent_message completed']);
  expect(lastPart(last(flow.id)).slice(-2)).toEqual([
    ['function_call_output', expect.stringContaining('user rejected MCP tool call')],
    ['user', 'Denied: not now'],
  ]);
});

test('a tool approved for the session needs no further approval', async () => {
  const flow = await start(shared.client, slow(), { approvalPolicy: 'on-request' });
  await flow.respond((await flow.question()).id, 'approve_session');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  await flow.say(slow(2));
  expect(await flow.settled()).toMatchObject({ status: 'done', turnCount: 2 });
  expect(output(flow.id)).toContain('slept 2 ms');
});

verifies('codex:approval:never-mcp', 'under never, an MCP tool still needs approval', async () => {
  const flow = await start(shared.client, slow(4), { approvalPolicy: 'never' });
  expect(await flow.settled()).toMatchObject({
    status: 'awaiting_approval',
    approvalPolicy: 'never',
    pendingQuestion: { type: 'mcp_tool_approval' },
  });
  await flow.respond((await flow.question()).id, 'approve');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(output(flow.id)).toContain('slept 4 ms');
});

test('a form from a server accepts JSON that matches it', async () => {
  const flow = await start(shared.client, ask('forms'));
  const asked = await flow.question();
  expect(asked.type).toBe('mcp_elicitation');
  expect(asked.questions[0]?.question).toMatch(
    /^Question from the MCP server forms\n> Who are you\?\nAnswer with JSON for this schema.*"name"/su,
  );
  const refused = (answer: string) => flow.refusal(asked.id, answer);
  expect(await refused('Ada')).toContain('"Ada" is not a valid answer to this question.');
  expect(await refused('["Ada"]')).toContain('is not a valid answer to this question.');
  expect(await refused('approve')).toContain('is not a valid answer to this question.');
  expect(await refused('{"agree":true}')).toMatch(/The answer does not match the form: .*name/su);
  expect(await refused('{"name":7}')).toMatch(/The answer does not match the form: .*name/su);
  expect(await flow.question()).toEqual(asked);
  await flow.respond(asked.id, '{"name":"Ada: Lovelace","agree":true}');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(output(flow.id)).toContain(JSON.stringify({ name: 'Ada: Lovelace', agree: true }));
});

test.each([
  ['deny', 'decline'],
  ['decline', 'decline'],
  ['cancel', 'cancel'],
])('a form from a server is answered with %s', async (answer, action) => {
  const flow = await start(shared.client, ask('forms'));
  await flow.respond((await flow.question()).id, answer);
  expect(await flow.settled()).toMatchObject({ status: 'done', result: 'went on' });
  expect(output(flow.id)).toContain(`"action":"${action}"`);
});

test('a request to open a URL can be approved or denied', async () => {
  const flow = await start(shared.client, ask('pages'));
  const asked = await flow.question();
  expect(asked).toMatchObject({
    type: 'mcp_elicitation',
    questions: [
      {
        question:
          'Question from the MCP server pages\n> Please sign in\nIt asks you to open this URL: https://example.com/sign-in?id=1',
        options: ['approve', 'deny', 'cancel'],
      },
    ],
  });
  await flow.respond(asked.id, 'approve');
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  expect(output(flow.id)).toContain('"action":"accept"');
});
