import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { type ModelRequest, textOf, toolOutputs } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import type { CodexClient } from '../codex-server/testbed.ts';
import { escalated, messagesOf, shareTestbed, threadIdOf, typesOf } from './drop-in.ts';

const dropIn = shareTestbed({
  extra: { suppress_unstable_features_warning: true, features: { default_mode_request_user_input: true } },
});
const ELICITS = { elicitation: {} };

async function run(client: CodexClient, steps: readonly Step[], more: JsonObject = {}) {
  const args = { prompt: script(steps), sandbox: 'read-only', 'approval-policy': 'on-request', ...more };
  const { id, answer } = client.begin('tools/call', { name: 'codex', arguments: args });
  const { result } = await answer;
  return { id, result: result as JsonObject };
}

function exists(file: string): boolean {
  return existsSync(join(dropIn.testbed().home.workDir, file));
}

function lastRequest(): ModelRequest {
  const request = dropIn.testbed().model.requests.at(-1);
  if (request === undefined) throw new Error('the model was asked nothing');
  return request;
}

test('a form filled as the protocol specifies approves, once or for the session', async () => {
  let decision = 'approve';
  const client = await dropIn.serve({
    capabilities: ELICITS,
    onRequest: () => ({ action: 'accept', content: { decision } }),
  });
  await run(client, [escalated('touch form.txt'), { message: 'done' }]);
  expect(exists('form.txt')).toBe(true);
  decision = 'approve_session';
  const again = escalated('touch twice.txt');
  await run(client, [again, again, { message: 'done' }]);
  expect(exists('twice.txt')).toBe(true);
  expect(client.requests.map(({ params }) => params['codex_command'])).toEqual([
    ['/bin/bash', '-lc', 'touch form.txt'],
    ['/bin/bash', '-lc', 'touch twice.txt'],
  ]);
});

test.for<[string, JsonObject]>([
  ['in the form', { action: 'accept', content: { decision: 'deny', reason: 'too risky' } }],
  ['in the old way', { decision: { denied: { rejection: 'too risky' } } }],
])('a reason for a refusal %s reaches the model together with the refusal', async ([, answer]) => {
  const client = await dropIn.serve({ capabilities: ELICITS, onRequest: () => answer });
  await run(client, [escalated('touch risky.txt'), { message: 'I see' }]);
  const { input } = lastRequest();
  expect(toolOutputs(lastRequest()).at(-1)).toContain('rejected by user');
  expect(textOf(input.at(-1)?.['content'])).toBe('Denied: too risky');
  expect(exists('risky.txt')).toBe(false);
});

test('the legacy word abort ends the turn and the call', async () => {
  const client = await dropIn.serve({ capabilities: ELICITS, onRequest: () => ({ decision: 'abort' }) });
  const { id, result } = await run(client, [escalated('touch aborted.txt'), { message: 'never' }]);
  const text = 'The turn was interrupted.';
  expect(result).toEqual({
    isError: true,
    content: [{ type: 'text', text }],
    structuredContent: { threadId: threadIdOf(result), content: text },
  });
  expect(typesOf(client, id).at(-1)).toBe('turn_aborted');
  expect(typesOf(client, id)).not.toContain('exec_command_begin');
  expect(exists('aborted.txt')).toBe(false);
});

test('refuses at once, and says why, if the client does not support elicitation', async () => {
  const client = await dropIn.serve();
  const { id, result } = await run(client, [escalated('touch unasked.txt'), { message: 'went on' }]);
  const warning = 'Codex requested an approval, which was refused because the client does not support elicitation.';
  expect(result).toEqual({
    content: [
      { type: 'text', text: 'went on' },
      { type: 'text', text: `Warning: ${warning}` },
    ],
    structuredContent: { threadId: threadIdOf(result), content: 'went on' },
  });
  expect(messagesOf(client, id).filter(({ type }) => type === 'warning')).toEqual([
    { type: 'warning', message: warning },
  ]);
  expect(typesOf(client, id)).toContain('exec_approval_request');
  expect(client.requests).toEqual([]);
  expect(exists('unasked.txt')).toBe(false);
});

test.for<[string, () => JsonObject]>([
  [
    'answers with an error',
    () => {
      throw new Error('no such method');
    },
  ],
  ['closes the dialog', () => ({ action: 'cancel' })],
])('when the client %s, nothing is approved, and the approval times out as refused', async ([, onRequest]) => {
  const env = { APPROVAL_TIMEOUT_MS: '1000' };
  const client = await dropIn.serve({ capabilities: ELICITS, onRequest, env });
  const { result } = await run(client, [escalated('touch silent.txt'), { message: 'went on' }]);
  expect(result['structuredContent']).toEqual({ threadId: threadIdOf(result), content: 'went on' });
  expect(toolOutputs(lastRequest()).at(-1)).toContain('rejected by user');
  expect(exists('silent.txt')).toBe(false);
});

test('the client has the full timeout for an answer', async () => {
  const env = { APPROVAL_TIMEOUT_MS: '12000' };
  const answer = () =>
    new Promise((resolve) => setTimeout(() => resolve({ action: 'accept', content: { decision: 'approve' } }), 6_500));
  const client = await dropIn.serve({ capabilities: ELICITS, onRequest: answer, env });
  await run(client, [escalated('touch late.txt'), { message: 'done' }]);
  expect(exists('late.txt')).toBe(true);
});

test('a question of Codex to the user is sent as a form with the ids of its call', async () => {
  const client = await dropIn.serve({
    capabilities: ELICITS,
    onRequest: () => ({ action: 'accept', content: { answer1: 'Red' } }),
  });
  const options = [
    { label: 'Red', description: 'Like a tomato' },
    { label: 'Blue', description: 'Like the sea' },
  ];
  const questions = [{ id: 'color', header: 'Color', question: 'Which color?', options }];
  const tool = { name: 'request_user_input', arguments: { questions } };
  const { id, result } = await run(client, [{ tool }, { message: 'thank you' }]);
  expect(JSON.parse(toolOutputs(lastRequest()).at(-1) ?? '')).toEqual({ answers: { color: { answers: ['Red'] } } });
  expect(client.requests.map(({ params }) => params)).toEqual([
    {
      message: expect.stringContaining('Which color?'),
      requestedSchema: expect.objectContaining({ type: 'object', required: ['answer1'] }),
      threadId: threadIdOf(result),
      codex_mcp_tool_call_id: String(id),
    },
  ]);
});
