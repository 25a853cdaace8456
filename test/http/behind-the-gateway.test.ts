import { describe, expect, test } from 'vitest';
import { openCatalogCache } from '../../src/upstream/catalog-cache/catalog-cache.ts';
import { fixture } from '../fixtures/paths.ts';
import { statusOf, untilState } from '../gateway/server-status.ts';
import { testFolders } from '../gateway/tools-from-file.ts';
import { verifies } from '../verifies.ts';
import { answerBasics, at, httpHarness, ofMethod, sendJson, textOf } from './harness.ts';

const newFolder = testFolders();
const { openGateway, openFixture, openServer } = httpHarness();
/** Longer than all calls together take on a busy machine. */
const SLOW_MS = 4_000;
const SLEPT = `slept ${SLOW_MS} ms`;
const KINDS = ['well-behaved', 'stateless', 'legacy-sse', 'modern'] as const;

test.each(KINDS)('sixteen slow calls of %s do not delay a fast one', async (name) => {
  const server = await openFixture(name);
  const client = await openGateway({ far: at(server.url) }).connect();
  await client.call('far__echo', { text: 'warm' });
  const slow = Array.from({ length: 16 }, () => client.call('far__slow', { ms: SLOW_MS }));
  expect(textOf(await client.call('far__echo', { text: 'fast' }))).toBe('fast');
  expect(client.received.filter(({ result }) => result?.content?.[0]?.text === SLEPT)).toEqual([]);
  expect((await Promise.all(slow)).map(textOf)).toEqual(Array(16).fill(SLEPT));
});

describe('a call that is no longer wanted', () => {
  test('is cancelled at the server, and its late response is dropped', async () => {
    const server = await openFixture('well-behaved');
    const client = await openGateway({ far: at(server.url) }).connect();
    client.send({
      jsonrpc: '2.0',
      id: 'slow',
      method: 'tools/call',
      params: { name: 'far__slow', arguments: { ms: 60_000 } },
    });
    await expect.poll(async () => ofMethod(await server.requests(), 'tools/call').length).toBe(1);
    client.notify('notifications/cancelled', { requestId: 'slow', reason: 'changed my mind' });
    await expect.poll(async () => ofMethod(await server.requests(), 'notifications/cancelled').length).toBe(1);
    const [call] = ofMethod(await server.requests(), 'tools/call');
    const [cancelled] = ofMethod(await server.requests(), 'notifications/cancelled');
    expect(JSON.parse(cancelled?.body ?? '').params).toMatchObject({ requestId: JSON.parse(call?.body ?? '').id });
    expect(textOf(await client.call('far__echo', { text: 'goes on' }))).toBe('goes on');
    expect(client.received.filter(({ id }) => id === 'slow')).toEqual([]);
  });

  test('times out, and others of the same server continue', async () => {
    const late: (() => void)[] = [];
    const server = await openServer((came, response) => {
      if (answerBasics(came, response)) return;
      const { message } = came;
      const answer = () =>
        sendJson(response, { jsonrpc: '2.0', id: message.id, result: { content: [{ type: 'text', text: 'a' }] } });
      if (JSON.stringify(message.params).includes('hangs')) late.push(answer);
      else answer();
    });
    const client = await openGateway({ far: at(server.url, { requestTimeoutMs: 2_000 }) }).connect();
    const hangs = client.call('far__echo', { hangs: true });
    expect(textOf(await client.call('far__echo'))).toBe('a');
    expect((await hangs).error).toMatchObject({
      code: 1008,
      message: expect.stringMatching(/^Server error: far did not answer tools\/call within [\d.]+ m?s\./),
    });
    for (const answer of late) answer();
    const before = client.received.length;
    expect(textOf(await client.call('far__echo'))).toBe('a');
    expect(client.received.length).toBe(before + 1);
  });

  test('a call that reports progress does not time out', async () => {
    const server = await openFixture('well-behaved');
    const client = await openGateway({ far: at(server.url, { requestTimeoutMs: 4_000 }) }).connect();
    const answer = await client.call('far__slow', { ms: 8_000 }, { _meta: { progressToken: 'p' } });
    expect(textOf(answer)).toBe('slept 8000 ms');
  });
});

describe('the list of an HTTP server', () => {
  test('is available at the second start even if the server is gone', async () => {
    const server = await openFixture('well-behaved');
    const cache = openCatalogCache({
      folder: newFolder(),
      now: Date.now,
      onProblem: (message) => expect.fail(message),
    });
    const first = openGateway({ far: at(server.url) }, { cache });
    const names = await (await first.connect()).toolNames();
    await first.gateway.close();
    await server.close();
    const second = openGateway({ far: at(server.url) }, { cache });
    expect(await (await second.connect()).toolNames()).toEqual(names);
    expect(names).toContain('far__echo');
  });

  test('is separate for each account', async () => {
    const server = await openFixture('well-behaved');
    const cache = openCatalogCache({
      folder: newFolder(),
      now: Date.now,
      onProblem: (message) => expect.fail(message),
    });
    const first = openGateway({ far: at(server.url, { headers: { Authorization: 'Bearer one' } }) }, { cache });
    await (await first.connect()).toolNames();
    await first.gateway.close();
    await server.close();
    const other = at(server.url, { headers: { Authorization: 'Bearer two' } });
    const second = openGateway({ far: other }, { cache, settings: { listTimeoutMs: 500 } });
    expect(await (await second.connect()).toolNames()).toEqual([]);
  });

  verifies('host:connect:list-pages', 'is read from all its pages', async () => {
    const server = await openServer((came, response) => {
      const { message } = came;
      if (message.method !== 'tools/list') return answerBasics(came, response);
      const page = Number(message.params?.['cursor'] ?? 0);
      const tools = [{ name: `tool-${page}`, inputSchema: { type: 'object' } }];
      const result = page < 3 ? { tools, nextCursor: String(page + 1) } : { tools };
      return sendJson(response, { jsonrpc: '2.0', id: message.id, result });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(await client.toolNames()).toEqual(['far__tool-0', 'far__tool-1', 'far__tool-2', 'far__tool-3']);
  });

  verifies('host:connect:no-tools', 'is not requested if the server offers no tools', async () => {
    const server = await openServer((came, response) => {
      const { message } = came;
      if (message.method !== 'initialize') return answerBasics(came, response);
      const result = { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: { name: 'none' } };
      return sendJson(response, { jsonrpc: '2.0', id: message.id, result });
    });
    const { connect, gateway } = openGateway({ far: at(server.url) });
    expect(await (await connect()).toolNames()).toEqual([]);
    expect(ofMethod(server.requests, 'tools/list')).toEqual([]);
    expect(statusOf(gateway, 'far').state).toBe('ready');
  });

  test('has its names filtered, prefixed and adapted like those of any other server', async () => {
    const server = await openFixture('well-behaved');
    const far = at(server.url, { tools: { allow: ['echo', 'big'], deny: ['big'] } });
    const client = await openGateway({ 'far away': far }).connect();
    const [name = ''] = await client.toolNames();
    expect(name).toMatch(/^far_away\w*__echo\w*$/);
    expect(textOf(await client.call(name, { text: 'a' }))).toBe('a');
    const [call] = ofMethod(await server.requests(), 'tools/call');
    expect(JSON.parse(call?.body ?? '').params.name).toBe('echo');
  });

  test('has its schemas adapted to the client', async () => {
    const schema = { type: 'object', properties: { a: { anyOf: [{ type: 'string' }, { type: 'null' }] } } };
    const tools = [{ name: 'echo', inputSchema: schema }];
    const server = await openServer((came, response) =>
      came.message.method === 'tools/list'
        ? sendJson(response, { jsonrpc: '2.0', id: came.message.id, result: { tools } })
        : answerBasics(came, response),
    );
    const listed = async (profile: 'none' | 'codex-legacy') => {
      const client = await openGateway({ far: at(server.url) }, { profile }).connect();
      return (await client.request('tools/list')).result.tools[0].inputSchema;
    };
    expect(await listed('none')).toEqual(schema);
    expect(await listed('codex-legacy')).not.toEqual(schema);
  });
});

test('the status of a server changes: connecting, ready, error', async () => {
  let isOpen = false;
  const server = await openServer((came, response) => {
    if (!isOpen) return undefined;
    return answerBasics(came, response);
  });
  const { connect, gateway } = openGateway(
    { far: at(server.url, { startupTimeoutMs: 3_000 }), near: fixture('well-behaved') },
    { settings: { listTimeoutMs: 100 } },
  );
  await connect();
  expect(statusOf(gateway, 'far').state).toBe('connecting');
  await untilState(gateway, 'far', 'error');
  expect(statusOf(gateway, 'far').reason).toMatch(/^it did not become ready: far did not answer initialize within/);
  isOpen = true;
  await untilState(gateway, 'far', 'ready');
  expect(statusOf(gateway, 'far')).toMatchObject({ where: new URL(server.url).host + new URL(server.url).pathname });
});

verifies(
  'auth:flow:required',
  'a server that requires a sign-in is auth_required, and names the login command',
  async () => {
    const server = await openServer((came, response) => {
      const { origin } = server;
      if (came.path.startsWith('/.well-known/oauth-protected-resource'))
        return sendJson(response, { resource: `${origin}/mcp`, authorization_servers: [origin] });
      if (came.path.startsWith('/.well-known/'))
        return sendJson(response, {
          issuer: origin,
          authorization_endpoint: `${origin}/authorize`,
          token_endpoint: `${origin}/token`,
          registration_endpoint: `${origin}/register`,
          response_types_supported: ['code'],
          code_challenge_methods_supported: ['S256'],
        });
      const challenge = `Bearer resource_metadata="${origin}/.well-known/oauth-protected-resource/mcp"`;
      return response.writeHead(401, { 'www-authenticate': challenge }).end();
    });
    const { connect, gateway } = openGateway({ far: at(server.url), near: fixture('well-behaved') });
    const client = await connect();
    const { error } = await client.call('far__echo');
    expect(error).toMatchObject({
      code: 1003,
      message: expect.stringMatching(/^far \(127\.0\.0\.1:\d+\) needs you to sign in.*Run: switchboard mcp login far$/),
      data: { serverName: 'far', retryable: false },
    });
    expect(statusOf(gateway, 'far').state).toBe('auth_required');
    expect(server.requests.filter(({ path }) => /register|authorize|token/.test(path))).toEqual([]);
    expect(textOf(await client.call('near__echo', { text: 'near' }))).toBe('near');
  },
);
