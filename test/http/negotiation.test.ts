import { describe, expect, test } from 'vitest';
import { statusOf } from '../gateway/server-status.ts';
import { answerBasics, at, httpHarness, methodsOf, ofMethod, sendJson, textOf } from './harness.ts';

const { openGateway, openFixture, reopenFixture, openServer } = httpHarness();

describe('the protocol of a server', () => {
  test.each([
    ['well-behaved', '2025-11-25'],
    ['stateless', '2025-11-25'],
    ['modern', '2026-07-28'],
    ['legacy-sse', '2024-11-05'],
  ] as const)('is detected: %s speaks %s', async (name, version) => {
    const server = await openFixture(name);
    const { connect, gateway } = openGateway({ far: at(server.url) });
    expect(textOf(await (await connect()).call('far__echo', { text: 'a' }))).toBe('a');
    expect(statusOf(gateway, 'far')).toMatchObject({ state: 'ready', protocolVersion: version });
  });

  test.each([
    ['200 with an error', ['--probe', '200']],
    ['400 with an error without an id', []],
  ])('is legacy if the probe is answered with %s', async (_, options) => {
    const server = await openFixture('well-behaved', ...options);
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    expect(methodsOf(await server.requests()).slice(0, 2)).toEqual(['server/discover', 'initialize']);
  });

  test.each([
    ['an empty result', 200, '{"jsonrpc":"2.0","id":"probe","result":{}}'],
    ['only unsupported versions', 200, '{"jsonrpc":"2.0","id":"probe","result":{"supportedVersions":["2099-01-01"]}}'],
    ['invalid JSON', 200, 'null'],
    ['a server error', 500, 'oops'],
    ['a web page', 404, '<html>Not found</html>'],
    ['nothing', 200, ''],
  ])('is legacy if the probe is answered with %s', async (_, status, body) => {
    const server = await openServer((came, response) => {
      if (came.message.method === 'server/discover')
        return response.writeHead(status, { 'content-type': 'application/json' }).end(body);
      if (answerBasics(came, response)) return undefined;
      return sendJson(response, {
        jsonrpc: '2.0',
        id: came.message.id,
        result: { content: [{ type: 'text', text: 'a' }] },
      });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('a');
  });

  test('is legacy if the connection is closed at the probe', async () => {
    const server = await openServer((came, response) => {
      if (came.message.method === 'server/discover') return response.destroy();
      if (answerBasics(came, response)) return undefined;
      return sendJson(response, {
        jsonrpc: '2.0',
        id: came.message.id,
        result: { content: [{ type: 'text', text: 'a' }] },
      });
    });
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo'))).toBe('a');
  });

  test('is legacy if the probe is not answered', async () => {
    const server = await openFixture('hangs-at-headers', '--at', 'server/discover');
    const client = await openGateway({ far: at(server.url) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
  });

  test.each(['404', '405', '400'])(
    'is HTTP+SSE if POST is answered with %s and GET names an endpoint',
    async (post) => {
      const server = await openFixture('legacy-sse', '--post', post);
      const client = await openGateway({ far: at(server.url) }).connect();
      expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    },
  );

  test('is HTTP+SSE at once if the entry says so', async () => {
    const server = await openFixture('legacy-sse');
    const client = await openGateway({ far: at(server.url, { isSse: true }) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
    expect((await server.requests()).filter(({ method, path }) => method === 'POST' && path === '/sse')).toEqual([]);
  });

  test('is Streamable HTTP if the entry says HTTP+SSE but the server has moved on', async () => {
    const server = await openFixture('well-behaved');
    const client = await openGateway({ far: at(server.url, { isSse: true }) }).connect();
    expect(textOf(await client.call('far__echo', { text: 'a' }))).toBe('a');
  });

  test('is not probed again after a restart', async () => {
    const server = await openFixture('well-behaved');
    const client = await openGateway({ far: at(server.url) }).connect();
    await client.call('far__echo', { text: 'a' });
    await server.close();
    const second = await reopenFixture('well-behaved', server);
    expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
    expect(ofMethod(await second.requests(), 'server/discover')).toEqual([]);
  });

  test('is probed again when the known protocol no longer works', async () => {
    const server = await openFixture('well-behaved');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    await client.call('far__echo', { text: 'a' });
    await server.close();
    await reopenFixture('modern', server);
    await expect
      .poll(async () => (await client.call('far__echo', { text: 'b' })).result?.content[0].text, { timeout: 30_000 })
      .toBe('b');
    expect(statusOf(gateway, 'far').protocolVersion).toBe('2026-07-28');
  });

  test('an endpoint at another origin is rejected, and nothing is sent there', async () => {
    const elsewhere = await openServer((_, response) => response.writeHead(202).end());
    const server = await openFixture('legacy-sse', '--endpoint', `${elsewhere.origin}/messages`);
    const far = at(server.url, { headers: { Authorization: 'Bearer far' } });
    const client = await openGateway({ far }).connect();
    const { host } = new URL(server.url);
    expect((await client.call('far__echo')).error?.message).toContain(
      `${host} names an endpoint at another origin, which Switchboard does not use.`,
    );
    expect(elsewhere.requests).toEqual([]);
  });

  test('an HTTP+SSE stream that ends is reopened', async () => {
    const server = await openFixture('legacy-sse');
    const { connect, gateway } = openGateway({ far: at(server.url) });
    const client = await connect();
    await client.call('far__echo', { text: 'a' });
    const waits = client.call('far__slow', { ms: 60_000 });
    await expect.poll(async () => ofMethod(await server.requests(), 'tools/call').length).toBe(2);
    await server.control('/_cut');
    expect((await waits).error).toMatchObject({ code: 1104, data: { serverName: 'far' } });
    expect(textOf(await client.call('far__echo', { text: 'b' }))).toBe('b');
    expect(statusOf(gateway, 'far').state).toBe('ready');
  });
});
