import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { at, headersOf, httpHarness, methodsOf, ofMethod, textOf } from './harness.ts';

const { openGateway, openFixture } = httpHarness();

describe('the headers of an entry', () => {
  verifies(
    'config:own:headers',
    'are sent with every request to its server: probe, initialize, calls, streams and the final DELETE',
    async () => {
      const server = await openFixture('well-behaved');
      const far = at(server.url, {
        headers: { Authorization: 'Bearer far', 'X-Team': 'blue ü' },
        headerEnv: { 'X-Key': 'FAR_KEY' },
      });
      const { connect, gateway } = openGateway({ far }, { env: { FAR_KEY: 'key' } });
      const client = await connect();
      await client.call('far__echo', { text: 'a' });
      client.notify('notifications/roots/list_changed');
      await gateway.close();
      const requests = await server.requests();
      expect(methodsOf(requests)).toEqual(
        expect.arrayContaining([
          'server/discover',
          'initialize',
          'notifications/initialized',
          'GET',
          'tools/call',
          'DELETE',
        ]),
      );
      for (const name of ['authorization', 'x-team', 'x-key']) expect(new Set(headersOf(requests, name)).size).toBe(1);
      expect(requests[0]?.headers).toMatchObject({ authorization: 'Bearer far', 'x-key': 'key' });
    },
  );

  verifies('config:own:headers', 'are sent to a modern server too', async () => {
    const server = await openFixture('modern');
    const far = at(server.url, { headers: { Authorization: 'Bearer far' } });
    const client = await openGateway({ far }).connect();
    await client.call('far__echo', { text: 'a' });
    await expect.poll(() => server.control('/_listening')).toBe(1);
    const requests = await server.requests();
    expect(methodsOf(requests)).toEqual(
      expect.arrayContaining(['server/discover', 'subscriptions/listen', 'tools/call']),
    );
    expect(new Set(headersOf(requests, 'authorization'))).toEqual(new Set(['Bearer far']));
  });

  verifies('config:own:headers', 'are sent to an HTTP+SSE server too', async () => {
    const server = await openFixture('legacy-sse');
    const far = at(server.url, { headers: { Authorization: 'Bearer far' } });
    const client = await openGateway({ far }).connect();
    await client.call('far__echo', { text: 'a' });
    expect(new Set(headersOf(await server.requests(), 'authorization'))).toEqual(new Set(['Bearer far']));
  });

  test('of one server are sent to no other', async () => {
    const [one, two, three] = [
      await openFixture('well-behaved'),
      await openFixture('well-behaved'),
      await openFixture('modern'),
    ];
    const client = await openGateway({
      one: at(one.url, { headers: { Authorization: 'Bearer one', 'X-One': '1' } }),
      two: at(two.url, { headers: { Authorization: 'Bearer two', 'X-Two': '2' } }),
      three: at(three.url),
    }).connect();
    for (const server of ['one', 'two', 'three']) await client.call(`${server}__echo`, { text: 'a' });
    const seen = async (server: typeof one) => [
      ...new Set(
        (await server.requests()).map(({ headers }) =>
          [headers['authorization'], headers['x-one'], headers['x-two']].join(),
        ),
      ),
    ];
    expect([await seen(one), await seen(two), await seen(three)]).toEqual([
      ['Bearer one,1,'],
      ['Bearer two,,2'],
      [',,'],
    ]);
  });
});

test('nothing from our environment is sent to a server', async () => {
  const server = await openFixture('well-behaved');
  const env = { OPENAI_API_KEY: 'sk-hidden', GITHUB_TOKEN: 'ghp-hidden' };
  const client = await openGateway({ far: at(server.url) }, { env }).connect({
    clientInfo: { name: 'test', version: '1' },
  });
  await client.call('far__echo', { text: 'a' }, { _meta: { authorization: 'Bearer of-the-client' } });
  const requests = await server.requests();
  expect(headersOf(requests, 'authorization').filter((value) => value !== undefined)).toEqual([]);
  expect(JSON.stringify(requests)).not.toMatch(/sk-hidden|ghp-hidden/);
  const allowed = ['host', 'content-type', 'accept', 'content-length', 'connection', 'accept-encoding', 'user-agent'];
  const others = new Set(
    requests.flatMap(({ headers }) => Object.keys(headers).filter((name) => !allowed.includes(name))),
  );
  expect([...others].toSorted()).toEqual(['mcp-method', 'mcp-protocol-version', 'mcp-session-id']);
});

describe('a legacy connection', () => {
  verifies(
    ['host:http:protocol-version', 'host:http:session-id', 'host:connect:initialize'],
    'sends version and session after initialize, and initialized before its calls',
    async () => {
      const server = await openFixture('well-behaved');
      const { connect, gateway } = openGateway({ far: at(server.url) });
      const client = await connect();
      await client.call('far__echo', { text: 'a' });
      const [session] = (await server.control('/_sessions')) as string[];
      await gateway.close();
      const [probe, hello, ...later] = await server.requests();
      expect(methodsOf(probe && hello ? [probe, hello] : [])).toEqual(['server/discover', 'initialize']);
      expect(hello?.headers).not.toHaveProperty('mcp-session-id');
      expect(hello?.headers).not.toHaveProperty('mcp-protocol-version');
      expect(methodsOf(later)[0]).toBe('notifications/initialized');
      expect(new Set(headersOf(later, 'mcp-protocol-version'))).toEqual(new Set(['2025-11-25']));
      expect(new Set(headersOf(later, 'mcp-session-id'))).toEqual(new Set([session]));
    },
  );

  test('ends with one DELETE, and nothing is left at the server', async () => {
    const server = await openFixture('well-behaved');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    await (await connect()).call('far__echo', { text: 'a' });
    expect(await server.control('/_sessions')).toHaveLength(1);
    await gateway.close();
    // The gateway waits for it for at most a second.
    await expect.poll(() => server.control('/_sessions')).toEqual([]);
    expect(methodsOf(await server.requests()).filter((method) => method === 'DELETE')).toEqual(['DELETE']);
  });

  test('without a session sends no session id and no DELETE', async () => {
    const server = await openFixture('stateless');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    expect(textOf(await (await connect()).call('far__echo', { text: 'a' }))).toBe('a');
    await gateway.close();
    const requests = await server.requests();
    expect(headersOf(requests, 'mcp-session-id').filter((id) => id !== undefined)).toEqual([]);
    expect(methodsOf(requests)).not.toContain('DELETE');
  });

  verifies(
    ['host:http:post', 'host:connect:json-rpc'],
    'sends JSON-RPC by POST, and reads responses as JSON or events',
    async () => {
      for (const answers of ['json', 'sse']) {
        const server = await openFixture('well-behaved', '--answers', answers);
        const client = await openGateway({ far: at(server.url) }).connect();
        expect(textOf(await client.call('far__echo', { text: answers }))).toBe(answers);
        const [call] = ofMethod(await server.requests(), 'tools/call');
        expect(call).toMatchObject({
          method: 'POST',
          path: '/mcp',
          headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        });
        expect(JSON.parse(call?.body ?? '')).toEqual({
          jsonrpc: '2.0',
          id: expect.any(Number),
          method: 'tools/call',
          params: { name: 'echo', arguments: { text: answers } },
        });
      }
    },
  );

  verifies(
    ['host:connect:version', 'host:connect:client-info'],
    'sends our name and the newest legacy version',
    async () => {
      const server = await openFixture('well-behaved');
      await (await openGateway({ far: at(server.url) }).connect()).toolNames();
      const [hello] = ofMethod(await server.requests(), 'initialize');
      expect(JSON.parse(hello?.body ?? '').params).toEqual({
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'switchboard', title: 'Switchboard', version: expect.stringMatching(/^\d+\.\d+\.\d+/) },
      });
    },
  );

  verifies(
    ['host:connect:same-config', 'host:http:open-server'],
    'works next to stdio servers, from the same config',
    async () => {
      const server = await openFixture('well-behaved');
      const client = await openGateway({ far: at(server.url), near: fixture('well-behaved') }).connect();
      expect([
        textOf(await client.call('far__echo', { text: 'far' })),
        textOf(await client.call('near__echo', { text: 'near' })),
      ]).toEqual(['far', 'near']);
      expect((await client.toolNames()).filter((name) => name.endsWith('__echo'))).toEqual(['far__echo', 'near__echo']);
    },
  );
});
