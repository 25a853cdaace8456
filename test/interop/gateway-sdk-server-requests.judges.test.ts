import { mkdirSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test, vi } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { trackProcesses } from '../processes.ts';
import { gatewayFor, longTimeoutEnv, officialServer } from './programs.ts';
import { openSdkClient, sdkKinds } from './sdk-client.ts';

// Each test starts real servers, which start slowly.
const processes = trackProcesses();
const env = () => processes.env(longTimeoutEnv);
const everything = officialServer('everything');

describe.each(sdkKinds)('through the gateway the official client (%s)', (kind) => {
  test('answers server requests', async () => {
    using gateway = gatewayFor({ everything });
    const asked: object[] = [];
    const sample = { model: 'none', role: 'assistant', content: { type: 'text', text: 'four' } } as const;
    const answers = {
      sampling(params: object) {
        asked.push(params);
        return sample;
      },
      elicitation(params: object) {
        asked.push(params);
        return 'url' in params
          ? ({ action: 'decline' } as const)
          : ({ action: 'accept', content: { name: 'Ada', integer: 7 } } as const);
      },
      roots: () => [{ uri: 'file:///tmp/one', name: 'one' }],
    };
    await using client = await openSdkClient(kind, { ...gateway, env: env() }, answers);

    expect(await client.callTool('everything__trigger-sampling-request', { prompt: '2+2', maxTokens: 9 })).toEqual({
      content: [{ type: 'text', text: `LLM sampling result: \n${JSON.stringify(sample, null, 2)}` }],
    });
    expect(await client.callTool('everything__trigger-elicitation-request')).toMatchObject({
      content: [{}, { text: 'User inputs:\n- Name: Ada\n- Favorite Integer: 7' }, {}],
    });
    const page = { url: 'https://example.com/sign-in', elicitationId: 'one' };
    expect(await client.callTool('everything__trigger-url-elicitation', page)).toMatchObject({
      content: [{ text: '❌ User declined to open the URL (Elicitation ID: one).' }, {}],
    });
    expect(await client.callTool('everything__get-roots-list')).toMatchObject({
      content: [{ text: expect.stringContaining('1. one\n   URI: file:///tmp/one') }],
    });
    const question = { role: 'user', content: { text: 'Resource trigger-sampling-request context: 2+2' } };
    expect(asked).toMatchObject([
      { messages: [question], systemPrompt: 'You are a helpful test server.', maxTokens: 9, temperature: 0.7 },
      { message: 'Please provide inputs for the following fields:', requestedSchema: { required: ['name'] } },
      { mode: 'url', ...page, message: 'Please open the link to complete this action.' },
    ]);
    // The client handles this error itself.
    const required = client.callTool('everything__trigger-url-elicitation', { ...page, errorPath: true });
    await expect(required).rejects.toMatchObject({
      code: -32042,
      data: { elicitations: [{ mode: 'url', url: 'https://modelcontextprotocol.io' }] },
    });
  });

  test('has roots, and a server is notified when they change', async () => {
    using gateway = gatewayFor({ files: officialServer('filesystem') });
    const [before = '', after = ''] = ['before', 'after'].map((name) => join(realpathSync(gateway.folder), name));
    for (const folder of [before, after]) mkdirSync(folder);
    let root = before;
    const roots = () => [{ uri: pathToFileURL(root).href }];
    await using client = await openSdkClient(kind, { ...gateway, env: env() }, { roots });
    const isAllowed = (folder: string) =>
      vi.waitFor(async () => {
        const content = [{ type: 'text', text: `Allowed directories:\n${folder}` }];
        expect(await client.callTool('files__list_allowed_directories')).toMatchObject({ content });
      }, 30_000);
    await client.waitFor(({ method }) => method === 'roots/list');
    await isAllowed(before);
    root = after;
    await client.sdk.sendRootsListChanged();
    await isAllowed(after);
  });

  test('reads and subscribes to resources, and sets the log level', async () => {
    using gateway = gatewayFor({ behaved: fixture('well-behaved'), everything });
    await using client = await openSdkClient(kind, { ...gateway, env: env() });
    const [one = '', two = ''] = [1, 2].map((id) => `demo://resource/dynamic/text/${id}`);
    const manual = 'demo://resource/static/document/features.md';
    expect(await client.sdk.readResource({ uri: manual })).toMatchObject({
      contents: [{ uri: manual, mimeType: 'text/markdown' }],
    });
    expect(await client.sdk.readResource({ uri: one })).toEqual({
      contents: [{ uri: one, mimeType: 'text/plain', text: expect.stringMatching(/^Resource 1: This is a plaintext/) }],
    });

    await client.sdk.setLoggingLevel('info');
    await client.sdk.subscribeResource({ uri: one });
    const data = `Received Subscribe Resource request for URI: ${one} `;
    expect(client.notified('notifications/message')).toEqual([{ level: 'info', logger: 'everything', data }]);
    await client.sdk.setLoggingLevel('error');
    await client.sdk.subscribeResource({ uri: two });
    expect(client.notified('notifications/message')).toHaveLength(1);

    await client.sdk.unsubscribeResource({ uri: two });
    await client.callTool('everything__toggle-subscriber-updates');
    await client.waitFor(({ method }) => method === 'notifications/resources/updated');
    await client.callTool('everything__echo', { message: 'whatever was said before this has come' });
    expect(client.notified('notifications/resources/updated')).toEqual([{ uri: one }]);
  });

  test('gets prompts and completions', async () => {
    using gateway = gatewayFor({ behaved: fixture('well-behaved'), everything });
    await using client = await openSdkClient(kind, { ...gateway, env: env() });
    expect(await client.sdk.getPrompt({ name: 'everything__args-prompt', arguments: { city: 'Bern' } })).toEqual({
      messages: [{ role: 'user', content: { type: 'text', text: "What's weather in Bern?" } }],
    });
    const completed = await client.sdk.complete({
      ref: { type: 'ref/prompt', name: 'everything__completable-prompt' },
      argument: { name: 'name', value: 'E' },
      context: { arguments: { department: 'Sales' } },
    });
    expect(completed).toEqual({ completion: { values: ['Eve'], total: 1, hasMore: false } });
    const ref = { type: 'ref/resource', uri: 'demo://resource/dynamic/text/{resourceId}' } as const;
    expect(await client.sdk.complete({ ref, argument: { name: 'resourceId', value: '7' } })).toEqual({
      completion: { values: ['7'], total: 1, hasMore: false },
    });
    await expect(client.sdk.getPrompt({ name: 'everything__nothing' })).rejects.toMatchObject({ code: -32602 });
    expect(await client.sdk.ping()).toEqual({});
  });
});

test('a task runs to its end, with a server request in the middle', async () => {
  using gateway = gatewayFor({ behaved: fixture('well-behaved'), everything });
  const answers = { elicitation: () => ({ action: 'accept', content: { interpretation: 'technical' } }) as const };
  await using client = await openSdkClient('version 1', { ...gateway, env: env() }, answers);
  if (!('experimental' in client.sdk)) throw new Error('Only version 1 has tasks.');
  const call = { name: 'everything__simulate-research-query', arguments: { topic: 'python', ambiguous: true } };
  const steps = client.sdk.experimental.tasks.callToolStream(call, undefined, { task: {} });
  const kinds = new Set<string>();
  for await (const step of steps) {
    kinds.add(step.type === 'taskStatus' ? step.task.status : step.type);
    if (step.type === 'result') {
      const report = expect.stringMatching(/^# Research Report: python \(technical\)/);
      expect(step.result).toMatchObject({ content: [{ type: 'text', text: report }] });
    }
  }
  expect([...kinds]).toEqual(['taskCreated', 'working', 'input_required', 'result']);
});
