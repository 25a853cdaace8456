import { describe, expect, test } from 'vitest';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { statusOf } from '../gateway/server-status.ts';
import { testFolders } from '../gateway/tools-from-file.ts';
import { at, httpHarness, methodsOf, ofMethod, sendJson, textOf } from './harness.ts';

const newFolder = testFolders();
const { openGateway, openFixture, reopenFixture, openServer } = httpHarness();
const META = 'io.modelcontextprotocol';

const envelopeOf = ({ body }: { readonly body: string }) => JSON.parse(body).params._meta;

describe('a modern server', () => {
  test('is called with its own tool name, in the body and in the header', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url) }).connect({ capabilities: { elicitation: {} } });
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    const [call] = ofMethod(await server.requests(), 'tools/call');
    expect(call?.headers).toMatchObject({
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'echo',
    });
    expect(JSON.parse(call?.body ?? '')).toEqual({
      jsonrpc: '2.0',
      id: expect.any(Number),
      method: 'tools/call',
      params: {
        name: 'echo',
        arguments: { text: 'a' },
        _meta: {
          [`${META}/protocolVersion`]: '2026-07-28',
          [`${META}/clientInfo`]: { name: 'switchboard', title: 'Switchboard', version: expect.any(String) },
          [`${META}/clientCapabilities`]: { elicitation: {} },
        },
      },
    });
  });

  test('gets no initialize, no GET and no DELETE', async () => {
    const server = await openFixture('modern');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    await (await connect()).call('far__echo', { text: 'a' });
    await gateway.close();
    const requests = await server.requests();
    expect(new Set(methodsOf(requests))).toEqual(
      new Set(['server/discover', 'tools/list', 'subscriptions/listen', 'tools/call']),
    );
    expect(requests.every(({ headers }) => headers['mcp-session-id'] === undefined)).toBe(true);
  });

  test('that rejects the first probe although it supports it is asked once more', async () => {
    const server = await openFixture('modern', '--refuse', 'first');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    expect(textOf(await (await connect()).call('far__echo', { text: 'a' }))).toBe('a');
    expect(statusOf(gateway, 'far').protocolVersion).toBe('2026-07-28');
  });

  test('that speaks both eras is used in the modern one', async () => {
    const server = await openFixture('modern', '--dual', 'yes');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    expect(textOf(await (await connect()).call('far__echo', { text: 'a' }))).toBe('a');
    expect(statusOf(gateway, 'far').protocolVersion).toBe('2026-07-28');
    expect(methodsOf(await server.requests())).not.toContain('initialize');
  });

  test('gets arguments in the headers that its schema declares, and no others', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    for (const args of [
      { region: 'eu west', level: 3, urgent: false, note: 'n' },
      { region: 'Zürich', level: null },
      { region: '', urgent: true },
      {},
    ])
      expect(JSON.parse(textOf(await client.call('far__located', args)))).toEqual(args);
    const sent = ofMethod(await server.requests(), 'tools/call').map(({ headers }) =>
      Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('mcp-param-'))),
    );
    expect(sent).toEqual([
      { 'mcp-param-region': 'eu west', 'mcp-param-level': '3', 'mcp-param-urgent': 'false' },
      { 'mcp-param-region': '=?base64?WsO8cmljaA==?=' },
      { 'mcp-param-region': '', 'mcp-param-urgent': 'true' },
      {},
    ]);
  });

  test('gets them in the first call too, if the list is cached', async () => {
    const server = await openFixture('modern');
    const cache = openCatalogCache({
      folder: newFolder(),
      now: Date.now,
      onProblem: (message) => expect.fail(message),
    });
    const first = openGateway({ far: at(server.url) }, { cache });
    await (await first.connect()).toolNames();
    await first.gateway.close();
    const second = openGateway({ far: at(server.url, { start: 'lazy' }) }, { cache, isLazy: true });
    const client = await second.connect();
    expect(await client.toolNames()).toContain('far__located');
    expect(JSON.parse(textOf(await client.call('far__located', { region: 'eu' })))).toEqual({ region: 'eu' });
  });

  test('gets them after a restart too', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    await client.call('far__located', { region: 'eu' });
    await server.close();
    await reopenFixture('modern', server);
    expect(JSON.parse(textOf(await client.call('far__located', { region: 'eu' })))).toEqual({ region: 'eu' });
  });

  test('has its tools with an invalid header dropped and reported, and the others offered', async () => {
    const server = await openFixture('modern', '--invalid', 'yes');
    const log: string[] = [];
    const { connect, gateway } = openGateway({ far: at(server.url) }, { log });
    const client = await connect();
    const names = await client.toolNames();
    expect(names.filter((name) => name.startsWith('far__header'))).toEqual(['far__headers']);
    expect(names).toContain('far__located');
    const reported = `${log.join('\n')}\n${JSON.stringify(statusOf(gateway, 'far'))}`;
    for (const name of ['header-on-number', 'header-twice', 'header-with-space']) expect(reported).toContain(name);
    expect((await client.call('far__header-twice')).error?.message).toContain('far__header-twice');
    expect(ofMethod(await server.requests(), 'tools/call')).toEqual([]);
  });

  test('announces list changes over the subscribed stream', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    await expect.poll(() => server.control('/_listening')).toBe(1);
    await client.call('far__notify-me');
    await expect.poll(async () => ofMethod(await server.requests(), 'tools/list').length).toBe(2);
    const [listen] = ofMethod(await server.requests(), 'subscriptions/listen');
    expect(JSON.parse(listen?.body ?? '').params.notifications).toEqual({ toolsListChanged: true });
  });

  test('messages about the stream itself are not forwarded to the client', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    await expect.poll(() => server.control('/_listening')).toBe(1);
    await server.control('/_quiet');
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    expect(client.received.filter(({ method }) => method?.includes('subscriptions'))).toEqual([]);
  });

  test('is subscribed to again when it ends that stream', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.toolNames();
    await expect.poll(() => server.control('/_listening')).toBe(1);
    expect(await server.control('/_quiet')).toBe(1);
    await expect.poll(() => server.control('/_listening'), { timeout: 30_000 }).toBe(1);
  });

  test('has a call cancelled by closing the connection', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url, { requestTimeoutMs: 2_000 }) }).connect();
    expect((await client.call('far__slow', { ms: 60_000 })).error).toMatchObject({ code: 1008 });
    expect(textOf(await client.call('far__echo', { text: 'goes on' }))).toBe('goes on');
    expect(methodsOf(await server.requests())).not.toContain('notifications/cancelled');
  });

  test('gets an error for a request that the client cannot answer, and the call does not hang', async () => {
    const server = await openFixture('modern');
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__ask')).error).toEqual({
      code: -32021,
      message:
        'The client did not answer the question from the server: Method not found: the client has no elicitation.',
    });
  });

  test('that asks endlessly is given up', async () => {
    const server = await openServer(({ message }, response) => {
      const result =
        message.method === 'server/discover'
          ? { supportedVersions: ['2026-07-28'], capabilities: { tools: {} } }
          : message.method === 'tools/list'
            ? { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] }
            : { resultType: 'input_required', inputRequests: {}, requestState: 'again' };
      sendJson(response, { jsonrpc: '2.0', id: message.id, result });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect((await client.call('far__echo')).error).toMatchObject({
      code: 1012,
      message: expect.stringContaining('requests input for tools/call again and again'),
    });
    expect(server.requests.length).toBeLessThan(30);
  });
});

describe('requests that the modern era does not have', () => {
  const scripted = () =>
    openServer(({ message }, response) => {
      if (message.method === 'subscriptions/listen') {
        response.writeHead(200, { 'content-type': 'text/event-stream' });
        const { resourceSubscriptions } = (message.params?.['notifications'] ?? {}) as {
          resourceSubscriptions?: string[];
        };
        for (const uri of resourceSubscriptions ?? [])
          response.write(
            `data: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/resources/updated', params: { uri } })}\n\n`,
          );
        return;
      }
      const results: Record<string, object> = {
        'server/discover': {
          supportedVersions: ['2026-07-28'],
          capabilities: { tools: {}, logging: {}, resources: { subscribe: true } },
        },
        'tools/list': { tools: [{ name: 'echo', inputSchema: { type: 'object' } }] },
        'resources/list': { resources: [{ uri: 'test://a', name: 'a' }] },
        'resources/templates/list': { resourceTemplates: [] },
        'tools/call': { content: [{ type: 'text', text: 'a' }] },
      };
      const result = results[String(message.method)];
      const answer = result === undefined ? { error: { code: -32601, message: 'Method not found' } } : { result };
      sendJson(response, { jsonrpc: '2.0', id: message.id, ...answer }, { status: result === undefined ? 404 : 200 });
    });

  test('the log level is sent with every later request', async () => {
    const server = await scripted();
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.call('far__echo');
    expect((await client.request('logging/setLevel', { level: 'debug' })).error).toBeUndefined();
    await client.call('far__echo');
    const levels = ofMethod(server.requests, 'tools/call').map((call) => envelopeOf(call)[`${META}/logLevel`]);
    expect(levels).toEqual([undefined, 'debug']);
    expect(methodsOf(server.requests)).not.toContain('logging/setLevel');
  });

  test('a subscription becomes a stream, and its updates reach the client', async () => {
    const server = await scripted();
    const client = await openGateway({ far: at(server.url) }).connect();
    const { result } = await client.request('resources/list');
    const [{ uri }] = result.resources;
    expect((await client.request('resources/subscribe', { uri })).error).toBeUndefined();
    const news = await client.waitFor(({ method }) => method === 'notifications/resources/updated');
    expect(news.params).toEqual({ uri });
    expect(methodsOf(server.requests)).not.toContain('resources/subscribe');
  });

  test('an unknown method is a server error and causes no restart', async () => {
    const server = await scripted();
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    await client.call('far__echo');
    await client.request('prompts/get', { name: 'far__none' });
    expect(textOf(await client.call('far__echo'))).toBe('a');
    expect(statusOf(gateway, 'far').restarts).toBeUndefined();
  });
});
