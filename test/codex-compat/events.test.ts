import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import type { CodexClient } from '../codex-server/testbed.ts';
import { verifies } from '../verifies.ts';
import { messagesOf, shareTestbed, threadIdOf } from './drop-in.ts';

const echo = fileURLToPath(new URL('../codex/echo-server.mjs', import.meta.url));
const dropIn = shareTestbed({
  mcpServers: {
    echo: { command: process.execPath, args: [echo] },
    gone: { command: '/there/is/no/such/program', required: false },
  },
  extra: { model_providers: { scripted: { stream_max_retries: 1 } } },
});

async function receive(client: CodexClient, steps: readonly Step[], more: JsonObject = {}) {
  const args = { prompt: script(steps), sandbox: 'workspace-write', ...more };
  const { id, answer } = client.begin('tools/call', { name: 'codex', arguments: args });
  await answer;
  const messages = messagesOf(client, id);
  return { messages, ofType: (wanted: string) => messages.filter(({ type }) => type === wanted) };
}

test('reports the MCP servers of the session, including failed ones, before the turn starts', async () => {
  const { messages } = await receive(await dropIn.serve(), [{ message: 'hi' }]);
  expect(messages[1]).toEqual({
    type: 'mcp_startup_complete',
    ready: ['echo'],
    failed: [{ server: 'gone', error: expect.stringContaining('No such file') }],
    cancelled: [],
  });
  expect(messages[2]?.['type']).toBe('task_started');
});

test('reports a Codex warning about the session before its turn', async () => {
  const { messages } = await receive(await dropIn.serve(), [{ message: 'hi' }], { model: 'nobody-knows-it' });
  const types = messages.slice(0, 4).map(({ type }) => type);
  expect(types).toEqual(['session_configured', 'mcp_startup_complete', 'warning', 'task_started']);
});

test('reports the begin and end of an MCP tool call', async () => {
  const mcp = { server: 'echo', tool: 'echo', arguments: { text: 'x' } };
  const { ofType } = await receive(await dropIn.serve(), [{ mcp }, { message: 'done' }]);
  const call = { call_id: expect.any(String), invocation: mcp };
  expect(ofType('mcp_tool_call_begin')).toEqual([{ type: 'mcp_tool_call_begin', ...call }]);
  expect(ofType('mcp_tool_call_end')).toEqual([
    {
      type: 'mcp_tool_call_end',
      ...call,
      result: { Ok: { content: [{ type: 'text', text: 'echo: x' }] } },
      duration: { secs: expect.any(Number), nanos: expect.any(Number) },
    },
  ]);
});

test('reports reasoning, and command output as it arrives', async () => {
  const client = await dropIn.serve();
  const shell = 'sleep 0.5; echo one; sleep 0.5; echo two';
  const { ofType } = await receive(client, [{ reasoning: 'thinking' }, { shell }, { message: 'done' }]);
  expect(ofType('agent_reasoning')).toEqual([{ type: 'agent_reasoning', text: 'thinking' }]);
  expect(ofType('reasoning_content_delta').map(({ delta }) => delta)).toEqual(['thinking']);
  const chunks = ofType('exec_command_output_delta').map(({ chunk }) => Buffer.from(String(chunk), 'base64'));
  expect(Buffer.concat(chunks).toString()).toBe('one\ntwo\n');
  const usage = { total_tokens: 15, input_tokens: 10, output_tokens: 5 };
  expect(ofType('token_count')[0]).toMatchObject({ info: { total_token_usage: usage, last_token_usage: usage } });
});

verifies(
  'compat:events:stream-error',
  'a broken model connection is retried, and then reported as an error',
  async () => {
    const { ofType } = await receive(await dropIn.serve(), [{ cut: true }]);
    expect(ofType('stream_error')).toEqual([
      {
        type: 'stream_error',
        message: expect.stringMatching(/^Reconnecting/),
        codex_error_info: expect.anything(),
        additional_details: expect.any(String),
      },
    ]);
    expect(ofType('error')).toEqual([
      { type: 'error', message: expect.stringContaining('stream disconnected'), codex_error_info: expect.anything() },
    ]);
  },
);

test('sends no events with --no-events, and everything else unchanged', async () => {
  const client = await dropIn.serve({ args: ['--tools', 'compat', '--no-events'] });
  expect(await client.call('codex', { prompt: script([{ message: 'quiet' }]) })).toEqual({
    threadId: expect.any(String),
    content: 'quiet',
  });
  expect(client.notifications.filter(({ method }) => method === 'codex/event')).toEqual([]);
});

test('with all tools, the drop-in is listed with the others and shares their sessions', async () => {
  const client = await dropIn.serve({ args: ['--tools', 'all'] });
  const { tools } = (await client.request('tools/list')) as { tools: { name: string }[] };
  const names = tools.map(({ name }) => name);
  expect(names.slice(0, 7)).toEqual([
    'codex_start',
    'codex_say',
    'codex_status',
    'codex_respond',
    'codex_interrupt',
    'codex_list',
    'codex_wait',
  ]);
  expect(names.slice(-2)).toEqual(['codex', 'codex-reply']);
  expect(client.hello['serverInfo']).toMatchObject({ name: 'switchboard-codex' });
  const result = await client.result('codex', { prompt: script([{ message: 'shared' }]) });
  const status = await client.call('codex_status', { sessionId: threadIdOf(result) });
  expect(status).toMatchObject({ status: 'done', result: 'shared' });
});
