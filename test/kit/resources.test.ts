import { describe, expect, test } from 'vitest';
import { AppError, createServer, type ServerOptions } from '../../src/kit/index.ts';
import { createTestClient } from '../../src/kit/testing.ts';
import { verifies } from '../verifies.ts';
import { openRawClient } from './raw-client.ts';

const info = { name: 'test', version: '1.0.0' };
const envelope = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modernly = (params: object = {}) => ({ ...params, _meta: envelope });
const stamp = {
  resultType: 'complete',
  ttlMs: 0,
  cacheScope: 'private',
  _meta: { 'io.modelcontextprotocol/serverInfo': info },
};
const resources = [{ uri: 'note://1', name: 'one', mimeType: 'text/plain' }];
const templates = [{ uriTemplate: 'note://{id}', name: 'note' }];
const contents = [
  { uri: 'note://1', mimeType: 'text/plain', text: 'hello' },
  { uri: 'note://1', mimeType: 'image/png', blob: 'AA==' },
];
const eras = ['legacy', 'modern'] as const;

function createNotes(options: ServerOptions = {}) {
  const server = createServer(info, options);
  server.resourceTemplate('note://{id}', { name: 'note', list: async () => resources }, ({ id }, { uri }) => {
    if (id === 'broken') throw new TypeError('disk on fire');
    if (id !== '1') throw new AppError('RESOURCE_NOT_FOUND', `There is no note at ${uri}.`);
    return { contents };
  });
  return {
    server,
    change: (...uris: (string | undefined)[]) => {
      for (const uri of uris) {
        if (uri === undefined) server.resourcesChanged();
        else server.resourceUpdated(uri);
      }
    },
  };
}

describe('a server without resources', () => {
  const methods = ['list', 'templates/list', 'read', 'subscribe', 'unsubscribe'].map((name) => `resources/${name}`);

  test.each(eras)('has none of their methods in the %s era', async (era) => {
    const client = openRawClient(createServer(info));
    const params = { uri: 'note://1' };
    for (const method of methods) {
      const { error } = await client.request(method, era === 'modern' ? modernly(params) : params);
      expect(error).toEqual({ code: -32601, message: `Method not found: ${method}` });
    }
    await client.close();
  });

  test('declares none and accepts no subscription to them', async () => {
    const client = openRawClient(createServer(info));
    const { result } = await client.request('initialize', {});
    expect(result?.['capabilities']).toEqual({ tools: { listChanged: true }, logging: {} });
    const wishes = { toolsListChanged: true, resourcesListChanged: true, resourceSubscriptions: 5 };
    client.request('subscriptions/listen', modernly({ notifications: wishes })).catch(() => undefined);
    await expect
      .poll(() => client.notifications.map(({ params }) => params?.['notifications']))
      .toEqual([{ toolsListChanged: true }]);
    await client.close();
  });
});

describe('a definition with a mistake is rejected at once', () => {
  const read = () => 'text';
  const named = { name: 'note' };
  const invalid = { code: 'TOOL_INVALID' };

  test.each([
    ['no URI', 'today', named, read],
    ['no definition', 'note://1', undefined, read],
    ['no name', 'note://1', {}, read],
    ['no function', 'note://1', named, 'text'],
    ['a member that is not JSON', 'note://1', { name: 'note', size: 1n }, read],
  ])('%s', (_, uri, definition, reader) => {
    const server = createServer(info);
    expect(() => server.resource(uri, definition as never, reader as never)).toThrow(expect.objectContaining(invalid));
    expect(server.resources).toBeUndefined();
  });

  test.each(['note://1', 'note://{id', 'note://id}', 'note://{}', 'note://{a b}', 'note://{{id}}', ''])(
    'the template %j',
    (template) => {
      const server = createServer(info);
      expect(() => server.resourceTemplate(template, named, read)).toThrow(expect.objectContaining(invalid));
    },
  );

  test('a URI that is defined twice', () => {
    const server = createServer(info).resource('note://1', named, read).resourceTemplate('note://{id}', named, read);
    expect(() => server.resource('note://1', named, read)).toThrow(expect.objectContaining(invalid));
    expect(() => server.resourceTemplate('note://{id}', named, read)).toThrow(expect.objectContaining(invalid));
  });

  test.each(['resources', 'prompts', 'tools'])('the option %s, which does not exist', (option) => {
    expect(() => createServer(info, { [option]: {} })).toThrow(expect.objectContaining({ code: 'USAGE' }));
  });
});

describe('an unreadable resource', () => {
  test('is not found with the code of each era, with the URI', async () => {
    const client = openRawClient(createNotes().server);
    const error = { message: 'There is no note at note://2.', data: { uri: 'note://2' } };
    const legacy = await client.request('resources/read', { uri: 'note://2' });
    expect(legacy.error).toEqual({ code: -32002, ...error });
    const modern = await client.request('resources/read', modernly({ uri: 'note://2' }));
    expect(modern.error).toEqual({ code: -32602, ...error });
    await client.close();
  });

  test.each(eras)(
    'because the provider failed is an error, and onError gets the reason, in the %s era',
    async (era) => {
      const reported: unknown[] = [];
      const { server } = createNotes({ onError: (error, where) => reported.push([String(error), where]) });
      const client = await createTestClient(server, { era });
      await expect(client.request('resources/read', { uri: 'note://broken' })).rejects.toMatchObject({
        data: { rpcCode: -32603 },
        message: expect.stringContaining('disk on fire'),
      });
      expect(reported).toEqual([['TypeError: disk on fire', 'resources/read']]);
      await client.close();
    },
  );

  test.each(['resources/read', 'resources/subscribe', 'resources/unsubscribe'])('%s needs a URI', async (method) => {
    const client = openRawClient(createNotes().server);
    for (const params of [undefined, {}, { uri: 5 }]) {
      const { error } = await client.request(method, params);
      expect(error).toEqual({ code: -32602, message: `${method} needs params.uri, the URI of a resource.` });
    }
    await client.close();
  });
});

describe.each(eras)('what a function returns in the %s era', (era) => {
  const mimeType = 'text/x-note';
  const uri = 'note://it';

  test.each([
    ['text', 'hello', { uri, mimeType, text: 'hello' }],
    ['an empty text', '', { uri, mimeType, text: '' }],
    ['bytes', new Uint8Array([0, 255]), { uri, mimeType, blob: 'AP8=' }],
    ['a part of a buffer', Buffer.from('abc').subarray(1, 2), { uri, mimeType, blob: 'Yg==' }],
    ['another value', { a: [1] }, { uri, mimeType, text: '{"a":[1]}' }],
    ['complete contents', { contents: [{ uri: 'note://other', text: 'x' }] }, { uri: 'note://other', text: 'x' }],
  ])('%s', async (_, returned, content) => {
    const client = await createTestClient(
      createServer(info).resource(uri, { name: 'it', mimeType }, async () => returned),
      { era },
    );
    expect(await client.request('resources/read', { uri })).toMatchObject({ contents: [content] });
    await client.close();
  });

  test.each([
    ['nothing', undefined, 'There is no resource note://it.'],
    ['contents without a URI', { contents: [{ text: 'x' }] }, 'returned contents without a uri'],
    ['contents without content', { contents: [{ uri }] }, 'returned contents without a uri'],
    ['a value that is not JSON', { big: 1n }, 'cannot be written as JSON'],
  ])('%s is an error', async (_, returned, message) => {
    const client = await createTestClient(
      createServer(info).resource(uri, { name: 'it' }, () => returned),
      { era },
    );
    await expect(client.request('resources/read', { uri })).rejects.toMatchObject({
      message: expect.stringContaining(message),
    });
    await client.close();
  });

  verifies('kit:resources:defined', 'resources and templates are listed and read', async () => {
    const server = createServer(info)
      .resource('note://today', { name: 'today', description: 'The note of today' }, () => 'Buy milk.')
      .resourceTemplate('note://{id}/page{?number}', { name: 'page' }, ({ id, number = '1' }) => `${id} ${number}`)
      .resourceTemplate(
        'note://{id}',
        { name: 'note', list: ({ client }) => [{ uri, name: client.info.name ?? '' }] },
        ({ id }) => id,
      );
    const client = await createTestClient(server, { era });
    expect(await client.request('resources/list')).toMatchObject({
      resources: [
        { uri: 'note://today', name: 'today', description: 'The note of today' },
        { uri, name: 'switchboard-test-client' },
      ],
    });
    expect(await client.request('resources/templates/list')).toMatchObject({
      resourceTemplates: [
        { uriTemplate: 'note://{id}/page{?number}', name: 'page' },
        { uriTemplate: 'note://{id}', name: 'note' },
      ],
    });
    const read = async (wanted: string) => {
      const result = await client.request('resources/read', { uri: wanted });
      return (result as { contents: { text: string }[] }).contents[0]?.text;
    };
    expect(await read('note://today')).toBe('Buy milk.');
    expect(await read('note://a%2Fb/page?number=2')).toBe('a/b 2');
    expect(await read('note://7/page')).toBe('7 1');
    expect(await read('note://yesterday')).toBe('yesterday');
    await expect(read('note://7/pages')).rejects.toMatchObject({ message: expect.stringContaining('There is no') });
    expect([server.removeResource('note://{id}'), server.removeResource('note://{id}')]).toEqual([true, false]);
    await expect(read('note://yesterday')).rejects.toMatchObject({ message: expect.stringContaining('There is no') });
    await client.close();
  });

  test('the types know the variables of a template', () => {
    const server = createServer(info);
    server.resourceTemplate('note://{id}{?page}', { name: 'note' }, ({ id, page }) => id + (page ?? ''));
    // @ts-expect-error: there is no such variable
    server.resourceTemplate('note://{a}', { name: 'a' }, ({ other }) => other);
    // @ts-expect-error: there is no such variable
    server.resourceTemplate('note://{b}', { name: 'b', complete: { other: [] } }, ({ b }) => b);
    // @ts-expect-error: it may be missing
    server.resourceTemplate('note://{c}{?page}', { name: 'c' }, ({ page }) => page.length);
    expect(server.resources?.size).toBe(4);
  });

  test('the variables of a template are completed', async () => {
    const ids = Array.from({ length: 150 }, (_, index) => `id${index}`);
    const server = createServer(info)
      .resourceTemplate('note://{id}', { name: 'note', complete: { id: ids } }, ({ id }) => id)
      .resource('note://today', { name: 'today' }, () => '');
    const client = await createTestClient(server, { era });
    const complete = (ref: object, name: string, value: string) =>
      client.request('completion/complete', { ref: { type: 'ref/resource', ...ref }, argument: { name, value } });
    expect(await complete({ uri: 'note://{id}' }, 'id', '')).toMatchObject({
      completion: { values: ids.slice(0, 100), total: 150, hasMore: true },
    });
    expect(await complete({ uri: 'note://{id}' }, 'id', 'ID14')).toMatchObject({
      completion: {
        values: ['id14', 'id140', 'id141', 'id142', 'id143', 'id144', 'id145', 'id146', 'id147', 'id148', 'id149'],
      },
    });
    expect(await complete({ uri: 'note://today' }, 'id', '')).toMatchObject({ completion: { values: [] } });
    for (const ref of [{ uri: 'note://{other}' }, {}])
      await expect(complete(ref, 'id', '')).rejects.toMatchObject({ data: { rpcCode: -32602 } });
    await expect(client.request('completion/complete', {})).rejects.toMatchObject({ data: { rpcCode: -32602 } });
    await client.close();
  });
});

test('a legacy client reads', async () => {
  const client = openRawClient(createNotes().server);
  const hello = await client.request('initialize', {});
  expect(hello.result?.['capabilities']).toEqual({
    tools: { listChanged: true },
    logging: {},
    resources: { subscribe: true, listChanged: true },
    completions: {},
  });
  expect((await client.request('resources/list')).result).toEqual({ resources });
  expect((await client.request('resources/templates/list', {})).result).toEqual({ resourceTemplates: templates });
  expect((await client.request('resources/read', { uri: 'note://1' })).result).toEqual({ contents });
  await client.close();
});

test('a modern client reads, and gets results that are not cacheable', async () => {
  const client = openRawClient(createNotes().server);
  const discovery = await client.request('server/discover', modernly());
  expect(discovery.result?.['capabilities']).toMatchObject({ resources: { subscribe: true, listChanged: true } });
  const ask = async (method: string, params = {}) => (await client.request(method, modernly(params))).result;
  expect(await ask('resources/list')).toEqual({ ...stamp, resources });
  expect(await ask('resources/templates/list')).toEqual({ ...stamp, resourceTemplates: templates });
  expect(await ask('resources/read', { uri: 'note://1' })).toEqual({ ...stamp, contents });
  await client.close();
});

describe('a legacy client', () => {
  async function openFollower(notes = createNotes()) {
    const client = openRawClient(notes.server);
    await client.request('initialize', {});
    client.notify('notifications/initialized');
    const follow = (uri: string) => client.request('resources/subscribe', { uri });
    return { ...notes, client, follow };
  }

  test('can subscribe to a thousand resources, and to more only after an unsubscribe', async () => {
    const { client, follow } = await openFollower();
    for (let index = 0; index < 1000; index++) expect((await follow(`note://${index}`)).result).toEqual({});
    expect((await follow('note://1000')).error).toEqual({
      code: 1034,
      message: 'A client may subscribe to 1000 resources at once: end a subscription first.',
    });
    expect((await follow('note://5')).result).toEqual({});
    expect((await client.request('resources/unsubscribe', { uri: 'note://5' })).result).toEqual({});
    expect((await follow('note://1000')).result).toEqual({});
    await client.close();
  });

  test('cannot subscribe to an oversized URI', async () => {
    const { client, follow } = await openFollower();
    expect((await follow(`note://${'x'.repeat(10_000)}`)).error).toMatchObject({ code: -32602 });
    await client.close();
  });

  test('is notified of exactly its subscriptions, once per batch of changes, until it unsubscribes', async () => {
    const { client, follow, change } = await openFollower();
    await follow('note://1');
    await follow('note://2');
    change('note://1', 'note://12', 'note://1', undefined, 'note://2', undefined);
    await Promise.resolve();
    change('note://1');
    await expect.poll(() => client.notifications).toHaveLength(3);
    await client.request('resources/unsubscribe', { uri: 'note://1' });
    change('note://1', 'note://2');
    await expect.poll(() => client.notifications).toHaveLength(4);
    await client.request('ping');
    expect(client.notifications).toEqual([
      { jsonrpc: '2.0', method: 'notifications/resources/list_changed' },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://1' } },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://2' } },
      { jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri: 'note://2' } },
    ]);
    await client.close();
  });

  test('is notified neither of the list before it is ready nor of the subscriptions of others', async () => {
    const notes = createNotes();
    const early = openRawClient(notes.server);
    await early.request('initialize', {});
    const { client, follow, change } = await openFollower(notes);
    await follow('note://1');
    change(undefined, 'note://1');
    await expect.poll(() => client.notifications).toHaveLength(2);
    await early.request('ping');
    expect(early.notifications).toEqual([]);
    await client.close();
    await early.close();
  });

  test('that disconnects is not notified, even during a change', async () => {
    const { client, follow, change } = await openFollower();
    await follow('note://1');
    const closing = client.close();
    change('note://1');
    await closing;
    expect(client.notifications).toEqual([]);
  });
});

describe('a modern client', () => {
  const subscription = (id: number) => ({ 'io.modelcontextprotocol/subscriptionId': id });
  const listen = (notifications: object) => modernly({ notifications });

  test('that lists no URIs is rejected before anything is acknowledged', async () => {
    const client = openRawClient(createNotes().server);
    for (const resourceSubscriptions of [5, 'note://1', ['note://1', 5]]) {
      const { error } = await client.request('subscriptions/listen', listen({ resourceSubscriptions }));
      expect(error).toEqual({
        code: -32602,
        message: 'params.notifications.resourceSubscriptions must be a list of URIs.',
      });
    }
    expect(client.notifications).toEqual([]);
    await client.close();
  });

  test('can subscribe to a thousand resources over all its streams', async () => {
    const client = openRawClient(createNotes().server);
    const uris = (from: number, to: number) =>
      Array.from({ length: to - from }, (_, index) => `note://${from + index}`);
    const stream = client.request('subscriptions/listen', listen({ resourceSubscriptions: uris(0, 600) }));
    const tooMuch = await client.request('subscriptions/listen', listen({ resourceSubscriptions: uris(600, 1001) }));
    expect(tooMuch.error).toMatchObject({ code: 1034 });
    client.notify('notifications/cancelled', { requestId: 1 });
    const other = client.request('subscriptions/listen', listen({ resourceSubscriptions: uris(600, 1001) }));
    await expect.poll(() => client.notifications).toHaveLength(2);
    await client.close();
    expect((await other).result).toMatchObject({ resultType: 'complete' });
    // A cancelled request gets no answer.
    expect(await Promise.race([stream, 'open'])).toBe('open');
  });

  test('is notified on each stream of what it subscribed to there, until the stream ends', async () => {
    const { server, change } = createNotes();
    const client = openRawClient(server);
    void client.request('subscriptions/listen', listen({ resourceSubscriptions: ['note://1', 'note://1'] }));
    const last = client.request(
      'subscriptions/listen',
      listen({ resourcesListChanged: true, promptsListChanged: true }),
    );
    await expect.poll(() => client.notifications).toHaveLength(2);
    change('note://1', undefined, 'note://1', 'note://2');
    await expect.poll(() => client.notifications).toHaveLength(4);
    client.notify('notifications/cancelled', { requestId: 1 });
    await client.request('tools/list', modernly());
    change('note://1', undefined);
    await expect.poll(() => client.notifications).toHaveLength(5);
    const messages = client.notifications.map(({ method, params }) => [method.replace('notifications/', ''), params]);
    expect(messages).toEqual([
      [
        'subscriptions/acknowledged',
        { _meta: subscription(1), notifications: { resourceSubscriptions: ['note://1'] } },
      ],
      ['subscriptions/acknowledged', { _meta: subscription(2), notifications: { resourcesListChanged: true } }],
      ['resources/list_changed', { _meta: subscription(2) }],
      ['resources/updated', { _meta: subscription(1), uri: 'note://1' }],
      ['resources/list_changed', { _meta: subscription(2) }],
    ]);
    await client.close();
    expect((await last).result).toMatchObject({ resultType: 'complete' });
  });
});
