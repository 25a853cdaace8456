import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { createServer, type ServerOptions } from '../../src/kit/index.ts';
import { createTestClient } from '../../src/kit/testing.ts';
import { verifies } from '../verifies.ts';
import { openRawClient } from './raw-client.ts';

const info = { name: 'test', version: '1.0.0' };
const eras = ['legacy', 'modern'] as const;
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const review = z.object({
  file: z.string().describe('The file to review'),
  tone: z.enum(['kind', 'strict']).optional(),
  lines: z.coerce.number().int().default(10),
});
const text = (value: string, role = 'user') => ({ role, content: { type: 'text', text: value } });

function createReviewer(options: ServerOptions = {}) {
  const folders = (typed: string, others: Readonly<Record<string, string>>) => [`${typed}-${others['tone']}`];
  return createServer(info, options)
    .prompt(
      'review',
      { title: 'Review', description: 'Reviews a file.', input: review, complete: { file: folders } },
      ({ file, tone = 'kind', lines }) => `Review ${lines + 1} lines of ${file.trim()}, be ${tone}.`,
    )
    .prompt('chat', { description: 'Several messages.' }, () => [
      { role: 'user', content: { type: 'text', text: 'Hi' } },
      { role: 'assistant', content: { type: 'text', text: 'Hello' } },
    ])
    .prompt('whole', { description: 'A complete result.' }, async () => ({
      description: 'Described now.',
      messages: [{ role: 'user', content: { type: 'text', text: 'Hi' } }],
    }))
    .prompt('broken', { description: 'Fails.' }, () => {
      throw new TypeError('out of ideas');
    })
    .prompt('silent', { description: 'Returns nothing.' }, () => [{ role: 'user' }] as never);
}

describe.each(eras)('in the %s era', (era) => {
  const open = (options: ServerOptions = {}) => createTestClient(createReviewer(options), { era });

  verifies('kit:prompts:defined', 'a prompt gets validated arguments, and its text becomes a message', async () => {
    const client = await open();
    const get = (name: string, args?: object) => client.request('prompts/get', { name, arguments: args });
    expect(await get('review', { file: ' a.ts', tone: 'strict', lines: '4' })).toMatchObject({
      description: 'Reviews a file.',
      messages: [text('Review 5 lines of a.ts, be strict.')],
    });
    expect(await get('review', { file: 'a.ts', tone: '', lines: ' ' })).toMatchObject({
      messages: [text('Review 11 lines of a.ts, be kind.')],
    });
    expect(await get('chat')).toMatchObject({ messages: [text('Hi'), text('Hello', 'assistant')] });
    expect(await get('whole')).toMatchObject({ description: 'Described now.', messages: [text('Hi')] });
    await client.close();
  });

  test.each([
    ['a missing argument', { tone: 'kind' }, 'The prompt review needs the argument file.'],
    ['an empty argument', { file: '  ' }, 'The prompt review needs the argument file.'],
    ['a number', { file: 5 }, 'The argument file of the prompt review must be text.'],
    ['a value that the schema forbids', { file: 'a', tone: 'rude' }, 'The prompt review got bad arguments: tone: '],
  ])('rejects %s', async (_, args, message) => {
    const client = await open();
    await expect(client.request('prompts/get', { name: 'review', arguments: args })).rejects.toMatchObject({
      message: expect.stringContaining(message),
      data: { rpcCode: -32602 },
    });
    await client.close();
  });

  test('rejects an unknown prompt and names the known ones', async () => {
    const client = await open();
    await expect(client.request('prompts/get', { name: 'deploy' })).rejects.toMatchObject({
      message: expect.stringContaining('There is no prompt "deploy". Known: review, chat, whole, broken, silent.'),
      data: { rpcCode: -32602 },
    });
    await client.close();
  });

  test('reports an error of a handler to the client, and the stack to onError', async () => {
    const reported: unknown[] = [];
    const client = await open({ onError: (error, where) => reported.push([String(error), where]) });
    const get = (name: string) => client.request('prompts/get', { name });
    await expect(get('broken')).rejects.toMatchObject({ message: expect.stringContaining('out of ideas') });
    await expect(get('silent')).rejects.toMatchObject({ message: expect.stringContaining('must return text') });
    expect(reported).toEqual([['TypeError: out of ideas', 'prompts/get']]);
    await client.close();
  });

  verifies('kit:completion:values', 'completes arguments from lists, enums and functions', async () => {
    const client = await open();
    const complete = (name: string, value: string, rest: object = {}) =>
      client.request('completion/complete', {
        ref: { type: 'ref/prompt', name: 'review' },
        argument: { name, value },
        ...rest,
      });
    const both = { values: ['kind', 'strict'], total: 2, hasMore: false };
    expect(await complete('tone', '')).toMatchObject({ completion: both });
    expect(await complete('tone', 'S')).toMatchObject({ completion: { values: ['strict'], total: 1 } });
    const context = { context: { arguments: { tone: 'kind', other: 5 } } };
    expect(await complete('file', 'a', context)).toMatchObject({ completion: { values: ['a-kind'] } });
    expect(await complete('lines', '')).toMatchObject({ completion: { values: [], total: 0, hasMore: false } });
    expect(await complete('constructor', '')).toMatchObject({ completion: { values: [] } });
    await client.close();
  });

  test('a prompt can ask the user', async () => {
    const server = createServer(info).prompt('greet', { description: '' }, async (_, { elicit }) => {
      const answer = await elicit({ message: 'Who?', schema: z.object({ name: z.string() }) });
      return answer.action === 'accept' ? `Greet ${answer.content.name}.` : 'Greet nobody.';
    });
    const client = await createTestClient(server, {
      era,
      onElicit: () => ({ action: 'accept', content: { name: 'Ada' } }),
    });
    expect(await client.request('prompts/get', { name: 'greet' })).toMatchObject({ messages: [text('Greet Ada.')] });
    await client.close();
    const mute = await createTestClient(server, { era });
    await expect(mute.request('prompts/get', { name: 'greet' })).rejects.toMatchObject({ data: { rpcCode: -32021 } });
    await mute.close();
  });
});

test('prompts are listed with the arguments of their schema', async () => {
  const client = openRawClient(createReviewer());
  const { result } = await client.request('prompts/list');
  expect(result?.['prompts']).toEqual([
    {
      name: 'review',
      title: 'Review',
      description: 'Reviews a file.',
      arguments: [
        { name: 'file', description: 'The file to review', required: true },
        { name: 'tone' },
        { name: 'lines' },
      ],
    },
    { name: 'chat', description: 'Several messages.' },
    { name: 'whole', description: 'A complete result.' },
    { name: 'broken', description: 'Fails.' },
    { name: 'silent', description: 'Returns nothing.' },
  ]);
  await client.close();
});

test('a modern client gets a list that is not cacheable', async () => {
  const client = openRawClient(createReviewer());
  const { result } = await client.request('prompts/list', { _meta: envelope });
  expect(result).toMatchObject({ resultType: 'complete', ttlMs: 0, cacheScope: 'private' });
  await client.close();
});

describe('a server without prompts', () => {
  test.each(eras)('has none of their methods in the %s era', async (era) => {
    const client = openRawClient(createServer(info));
    for (const method of ['prompts/list', 'prompts/get', 'completion/complete']) {
      const { error } = await client.request(method, era === 'modern' ? { _meta: envelope } : {});
      expect(error).toEqual({ code: -32601, message: `Method not found: ${method}` });
    }
    await client.close();
  });

  test('declares them from the first definition on', async () => {
    const server = createServer(info);
    const declared = async () => {
      const client = openRawClient(server);
      const { result } = await client.request('initialize', {});
      await client.close();
      return result?.['capabilities'];
    };
    expect(await declared()).toEqual({ tools: { listChanged: true }, logging: {} });
    server.prompt('late', { description: '' }, () => '');
    server.removePrompt('late');
    expect(await declared()).toMatchObject({ prompts: { listChanged: true }, completions: {} });
  });
});

const say = () => 'Hi';

test.each([
  ['no name', '', { description: '' }, say],
  ['no definition', 'p', undefined, say],
  ['no description', 'p', {}, say],
  ['no handler', 'p', { description: '' }, undefined],
  ['arguments in place of a schema', 'p', { description: '', arguments: [] }, say],
  ['a schema that is not an object', 'p', { description: '', input: { type: 'string' } }, say],
  ['a member that is not JSON', 'p', { description: '', _meta: { big: 1n } }, say],
])('a definition with %s is rejected at once', (_, name, definition, handler) => {
  const server = createServer(info);
  expect(() => server.prompt(name, definition as never, handler as never)).toThrow(
    expect.objectContaining({ code: 'TOOL_INVALID' }),
  );
  expect(server.prompts).toBeUndefined();
});

test('a prompt that is defined twice is rejected', () => {
  const server = createServer(info).prompt('a', { description: '' }, () => '');
  expect(() => server.prompt('a', { description: '' }, () => '')).toThrow('The prompt "a" is defined twice.');
});

describe('changes of the list', () => {
  const change = (server: ReturnType<typeof createReviewer>) => {
    server.prompt('one', { description: '' }, () => '').prompt('two', { description: '' }, () => '');
    expect([server.removePrompt('one'), server.removePrompt('one')]).toEqual([true, false]);
  };

  verifies('kit:changes:announced', 'are announced once to a legacy client', async () => {
    const server = createReviewer();
    const client = openRawClient(server);
    await client.request('initialize', {});
    client.notify('notifications/initialized');
    await client.request('ping');
    change(server);
    await expect.poll(() => client.notifications).toHaveLength(1);
    await client.request('ping');
    expect(client.notifications).toEqual([{ jsonrpc: '2.0', method: 'notifications/prompts/list_changed' }]);
    await client.close();
  });

  test('are announced to the streams of a modern client that asked for them', async () => {
    const server = createReviewer();
    const client = openRawClient(server);
    for (const notifications of [{ promptsListChanged: true }, { toolsListChanged: true }])
      void client.request('subscriptions/listen', { notifications, _meta: envelope });
    await expect.poll(() => client.notifications).toHaveLength(2);
    change(server);
    await expect.poll(() => client.notifications).toHaveLength(3);
    expect(client.notifications[2]).toEqual({
      jsonrpc: '2.0',
      method: 'notifications/prompts/list_changed',
      params: { _meta: { 'io.modelcontextprotocol/subscriptionId': 1 } },
    });
    await client.close();
  });
});
