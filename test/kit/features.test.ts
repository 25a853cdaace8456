import { fileURLToPath } from 'node:url';
import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { describe, expect, test } from 'vitest';
import { recordMessages } from '../interop/inbox.ts';
import { openSdkClient, sdkKinds } from '../interop/sdk-client.ts';
import { trackProcesses } from '../processes.ts';

/** The conformance fixture as a real process, used by the official clients over stdio. */
const processes = trackProcesses();
const fixture = fileURLToPath(new URL('../conformance/fixture-server.mjs', import.meta.url));
const program = () => ({ command: process.execPath, args: [fixture], env: processes.env() });
const root = { uri: 'file:///srv/app', name: 'app' };
const answers = {
  sampling: () => ({ model: 'm', role: 'assistant', content: { type: 'text', text: 'Paris' } }) as const,
  elicitation: () => ({ action: 'accept', content: { name: 'Ada', context: 'tests' } }) as const,
  roots: () => [root],
};
const message = (text: string) => ({ role: 'user', content: { type: 'text', text } });
const result = (text: string) => expect.objectContaining({ content: [{ type: 'text', text }] });
const both = 'action: accept, content: {"name":"Ada","context":"tests"}; Paris; Roots: app';

describe.each(sdkKinds)('the official client (%s)', (kind) => {
  test('gets prompts and completions', async () => {
    await using client = await openSdkClient(kind, program(), answers);
    expect((await client.sdk.listPrompts()).prompts).toHaveLength(5);
    const prompt = { name: 'test_prompt_with_arguments', arguments: { arg1: 'a', arg2: 'b' } };
    expect((await client.sdk.getPrompt(prompt)).messages).toEqual([
      message("Prompt with arguments: arg1='a', arg2='b'"),
    ]);
    expect((await client.sdk.getPrompt({ name: 'test_input_required_result_prompt' })).messages).toEqual([
      message('Use this context: tests'),
    ]);
    const ref = { type: 'ref/prompt' as const, name: prompt.name };
    const { completion } = await client.sdk.complete({ ref, argument: { name: 'arg1', value: 'part' } });
    expect(completion).toEqual({ values: ['party'], total: 1, hasMore: false });
  });

  test('reads resources, and is told of changes', async () => {
    await using client = await openSdkClient(kind, program());
    expect((await client.sdk.listResources()).resources).toHaveLength(3);
    const { contents } = await client.sdk.readResource({ uri: 'test://template/7/data' });
    expect(contents).toMatchObject([{ mimeType: 'application/json', text: expect.stringContaining('"id":"7"') }]);
    await client.callTool('test_trigger_prompt_change');
    await client.waitFor(({ method }) => method === 'notifications/prompts/list_changed');
    expect((await client.sdk.listPrompts()).prompts).toHaveLength(6);
  });

  test('answers as the user, as the model and with its roots', async () => {
    await using client = await openSdkClient(kind, program(), answers);
    expect(await client.callTool('test_input_required_result_multiple_inputs')).toEqual(result(both));
    expect(await client.callTool('test_sampling', { prompt: 'Capital?' })).toEqual(result('LLM response: Paris'));
  });

  test('is not asked without the capability', async () => {
    await using client = await openSdkClient(kind, program());
    expect(await client.callTool('test_missing_capability')).toMatchObject({
      isError: true,
      content: [{ text: 'The tool needs a model, but the client did not declare sampling.' }],
    });
  });
});

describe('the official client in the modern era', () => {
  async function open(isCapable: boolean) {
    const transport = new StdioClientTransport({ ...program(), stderr: 'ignore' });
    const inbox = recordMessages(transport);
    const capabilities = isCapable ? { sampling: {}, elicitation: { form: {} }, roots: {} } : {};
    const client = new Client(
      { name: 'interop', version: '1.0.0' },
      { capabilities, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    if (isCapable) {
      client.setRequestHandler('sampling/createMessage', answers.sampling);
      client.setRequestHandler('elicitation/create', answers.elicitation);
      client.setRequestHandler('roots/list', () => ({ roots: [root] }));
    }
    await client.connect(transport);
    expect(client.getProtocolEra()).toBe('modern');
    return { client, inbox };
  }

  test('gets prompts, completions and resources, and is told of changes', async () => {
    const { client, inbox } = await open(true);
    expect((await client.getPrompt({ name: 'test_input_required_result_prompt' })).messages).toEqual([
      message('Use this context: tests'),
    ]);
    const ref = { type: 'ref/prompt' as const, name: 'test_prompt_with_arguments' };
    expect((await client.complete({ ref, argument: { name: 'arg1', value: 'pari' } })).completion.values).toEqual([
      'paris',
    ]);
    expect((await client.readResource({ uri: 'test://static-binary' })).contents).toMatchObject([
      { mimeType: 'image/png', blob: expect.stringMatching(/^iVBOR/) },
    ]);
    const subscription = await client.listen({ promptsListChanged: true });
    expect(subscription.honoredFilter).toEqual({ promptsListChanged: true });
    await client.callTool({ name: 'test_trigger_prompt_change' });
    await inbox.waitFor(({ method }) => method === 'notifications/prompts/list_changed');
    await subscription.close();
    await client.close();
  });

  test('answers as the user, as the model and with its roots, and is rejected without these capabilities', async () => {
    const { client } = await open(true);
    expect(await client.callTool({ name: 'test_input_required_result_multiple_inputs' })).toEqual(result(both));
    await client.close();
    const { client: mute } = await open(false);
    await expect(mute.callTool({ name: 'test_missing_capability' })).rejects.toMatchObject({ code: -32021 });
    await mute.close();
  });
});
