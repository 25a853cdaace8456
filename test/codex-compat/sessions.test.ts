import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { textOf } from '../codex/model-request.ts';
import { script } from '../codex/script.ts';
import { eventually } from '../codex-server/testbed.ts';
import { verifies } from '../verifies.ts';
import { messagesOf, shareTestbed, threadIdOf, typesOf } from './drop-in.ts';

const dropIn = shareTestbed();
const hello = (text: string) => script([{ message: text }]);

function lastBody(): JsonObject {
  return dropIn.testbed().model.requests.at(-1)?.body ?? {};
}

/** Everything that the model receives besides the prompt. */
function read(): string {
  const { instructions, input } = lastBody();
  const items = Array.isArray(input) ? input : [];
  return [instructions, ...items.map((item: JsonObject) => textOf(item['content']))].join('\n');
}

test('resumes a session of an earlier run, and reports it like a new one', async () => {
  const first = await dropIn.serve();
  const threadId = threadIdOf(await first.result('codex', { prompt: hello('one') }));
  await first.close();
  const second = await dropIn.serve();
  const { id, answer } = second.begin('tools/call', {
    name: 'codex-reply',
    arguments: { threadId, prompt: hello('two') },
  });
  expect((await answer)['result']).toEqual({
    content: [{ type: 'text', text: 'two' }],
    structuredContent: { threadId, content: 'two' },
  });
  expect(typesOf(second, id).slice(0, 3)).toEqual(['session_configured', 'mcp_startup_complete', 'task_started']);
  expect(messagesOf(second, id)[0]).toMatchObject({ thread_id: threadId, cwd: dropIn.testbed().home.workDir });
  expect(typesOf(second, id).at(-1)).toBe('task_complete');
  const both = { threadId, conversationId: 'of somebody else', prompt: hello('three') };
  expect(await second.call('codex-reply', both)).toEqual({ threadId, content: 'three' });
});

verifies(
  [
    'compat:tools:codex-instructions',
    'compat:tools:codex-config',
    'compat:tools:codex-cwd',
    'compat:tools:codex-model',
  ],
  'every argument of a call reaches its session',
  async () => {
    const { home } = dropIn.testbed();
    const cwd = join(home.workDir, 'below');
    await mkdir(cwd, { recursive: true });
    await writeFile(join(home.codexDir, 'careful.config.toml'), 'model_reasoning_effort = "high"\n');
    const compactPrompt = script([{ message: 'a summary' }], 'COMPACT');
    const client = await dropIn.serve();
    const begun = client.begin('tools/call', {
      name: 'codex',
      arguments: {
        prompt: hello('set'),
        cwd: 'below',
        model: 'gpt-5.4',
        profile: 'careful',
        'base-instructions': 'BASE',
        'developer-instructions': 'DEVELOPER',
        'compact-prompt': compactPrompt,
        config: { model_reasoning_summary: 'detailed', 'features.plugins': false, model_auto_compact_token_limit: 10 },
      },
    });
    const { result } = await begun.answer;
    expect(messagesOf(client, begun.id)[0]).toMatchObject({ type: 'session_configured', cwd, model: 'gpt-5.4' });
    expect(read()).toMatch(/^\nBASE\nDEVELOPER/);
    expect(lastBody()).toMatchObject({ reasoning: { effort: 'high', summary: 'detailed' } });
    // The first turn exceeds the limit, so the second begins with a summary of the first.
    await client.call('codex-reply', { threadId: threadIdOf(result as JsonObject), prompt: hello('after') });
    const prompts = dropIn.testbed().model.requests.map(({ input }) => textOf(input.at(-1)?.['content']));
    expect(prompts).toContain(compactPrompt);
  },
);

verifies('compat:tools:codex-approval-policy', 'on-failure runs as on-request, and the result says so', async () => {
  const client = await dropIn.serve();
  const begun = client.begin('tools/call', {
    name: 'codex',
    arguments: { prompt: hello('hi'), 'approval-policy': 'on-failure' },
  });
  const { result } = await begun.answer;
  expect((result as JsonObject)['content']).toEqual([
    { type: 'text', text: 'hi' },
    { type: 'text', text: expect.stringMatching(/^Warning: .*on-failure.*on-request/) },
  ]);
  expect(messagesOf(client, begun.id)[0]).toMatchObject({ approval_policy: 'on-request' });
});

verifies('compat:tools:codex-danger', 'danger-full-access is refused unless the operator allows it', async () => {
  const danger = { prompt: hello('free'), sandbox: 'danger-full-access' };
  const client = await dropIn.serve();
  const refusal = await client.result('codex', danger);
  expect(refusal).toEqual({
    isError: true,
    content: [{ type: 'text', text: expect.stringContaining('--allow-dangerous') }],
  });
  const allowed = await dropIn.serve({ args: ['mcp-server', '--allow-dangerous'] });
  expect(await allowed.call('codex', danger)).toEqual({ threadId: expect.any(String), content: 'free' });
});

test('passes on images with the prompt of a session and of a reply', async () => {
  const { workDir } = dropIn.testbed().home;
  await writeFile(join(workDir, 'dot.png'), Buffer.from(DOT, 'base64'));
  const client = await dropIn.serve();
  const images = () => JSON.stringify(lastBody()['input']).match(/"input_image"/g)?.length;
  const { threadId } = await client.call('codex', { prompt: hello('seen'), images: ['dot.png'] });
  expect(images()).toBe(1);
  await client.call('codex-reply', { threadId, prompt: hello('again'), images: [join(workDir, 'dot.png')] });
  expect(images()).toBe(2);
  expect(await client.failure('codex', { prompt: 'x', images: ['gone.png'] })).toContain('there is no file');
});

test('reports progress of a call if the client requests it', async () => {
  const client = await dropIn.serve();
  const prompt = script([{ shell: 'sleep 1.5; echo over' }, { message: 'done' }]);
  const args = { prompt, sandbox: 'workspace-write' };
  await client.request('tools/call', { name: 'codex', arguments: args, _meta: { progressToken: 'p' } });
  const reported = client.notifications.filter(({ method }) => method === 'notifications/progress');
  expect(reported.length).toBeGreaterThan(1);
  for (const [index, { params }] of reported.entries())
    expect(params).toEqual({ progressToken: 'p', progress: index + 1, message: expect.any(String) });
  await client.request('tools/call', { name: 'codex', arguments: { prompt: hello('quiet') } });
  expect(client.notifications.filter(({ method }) => method === 'notifications/progress')).toEqual(reported);
});

test('does not disturb a busy session, and runs two sessions in parallel', async () => {
  const client = await dropIn.serve();
  const shell = 'until [ -e go ]; do sleep 0.1; done';
  const slow = script([{ shell, options: { yield_time_ms: 30_000 } }, { message: 'slow' }]);
  const first = client.begin('tools/call', { name: 'codex', arguments: { prompt: slow, sandbox: 'workspace-write' } });
  const started = () => messagesOf(client, first.id).find(({ type }) => type === 'exec_command_begin');
  await eventually(started);
  const threadId = messagesOf(client, first.id)[0]?.['thread_id'];
  expect(await client.failure('codex-reply', { threadId, prompt: 'x' })).toBe(
    `The session ${String(threadId)} is busy with a turn. Wait for its result, or cancel that call.`,
  );
  expect((await client.call('codex', { prompt: hello('quick') }))['content']).toBe('quick');
  await writeFile(join(dropIn.testbed().home.workDir, 'go'), '');
  expect((await first.answer)['result']).toMatchObject({ structuredContent: { threadId, content: 'slow' } });
});

test('the exec engine answers too, and warns that it cannot ask for approval', async () => {
  const client = await dropIn.serve({ args: ['mcp-server', '--engine', 'exec'], capabilities: { elicitation: {} } });
  const first = await client.result('codex', { prompt: hello('one') });
  const threadId = threadIdOf(first);
  expect(first).toEqual({
    content: [
      { type: 'text', text: 'one' },
      { type: 'text', text: expect.stringMatching(/^Warning: .*approval/) },
    ],
    structuredContent: { threadId, content: 'one' },
  });
  expect(await client.call('codex-reply', { threadId, prompt: hello('two') })).toEqual({ threadId, content: 'two' });
});

const DOT = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
