import { request } from 'node:http';
import { describe, expect, test, vi } from 'vitest';
import { LOCAL_PRINCIPAL } from '../../src/serve/access/no-auth.ts';
import type { RestoredSession } from '../../src/serve/fronts/http/endpoint.ts';
import type { Access } from '../../src/serve/fronts/http/principal.ts';
import { fixture } from '../fixtures/paths.ts';
import type { Message } from '../gateway/harness.ts';
import { lines } from '../gateway/scripted-lines.ts';
import { verifies } from '../verifies.ts';
import { gatewayHttpHarness } from './harness.ts';
import { RawClient } from './raw-client.ts';

const { openGateway } = gatewayHttpHarness();
const WITHIN = { timeout: 20_000, interval: 20 };

const accepted = { action: 'accept', content: { name: 'Ada' } };

async function openSession(url: string, capabilities = {}): Promise<RawClient> {
  const client = new RawClient(url, 'legacy');
  await client.initialize(capabilities);
  await client.request('tools/list');
  return client;
}

async function openModern(url: string, capabilities = {}): Promise<RawClient> {
  const client = new RawClient(url, 'modern');
  client.capabilities = capabilities;
  await client.request('tools/list');
  return client;
}

/** Returns the messages that the server `one` has received. */
async function heard(client: RawClient): Promise<Message[]> {
  const { result } = await client.call('one__heard');
  return JSON.parse(result.content[0].text).map((line: string) => JSON.parse(line));
}

describe('elicitation', () => {
  test('reaches a legacy client on the response of its call', async () => {
    const { url } = await openGateway({ one: fixture('requests-elicitation') });
    const client = await openSession(url, { elicitation: {} });
    client.onRequest = () => ({ result: accepted });
    const { result } = await client.call('one__ask');
    expect(JSON.parse(result.content[0].text).result).toEqual(accepted);
  });

  verifies(
    'gateway:modern:input',
    'reaches a modern client as required input, which another token cannot answer',
    async () => {
      const access: Access = {
        authenticate: (authorization) => ({ ...LOCAL_PRINCIPAL, tokenId: authorization ?? 'none' }),
        onRevoked: () => () => undefined,
      };
      const { url } = await openGateway({ one: fixture('requests-elicitation') }, { access });
      const client = await openModern(url, { elicitation: {} });
      const first = await client.call('one__ask');
      expect(first.result.resultType).toBe('input_required');
      const [key = ''] = Object.keys(first.result.inputRequests);
      const retry = {
        ...{ name: 'one__ask', arguments: {} },
        requestState: first.result.requestState,
        inputResponses: { [key]: accepted },
      };
      const stranger = await openModern(url, { elicitation: {} });
      stranger.headers = { authorization: 'Bearer other' };
      expect((await stranger.request('tools/call', retry)).error?.code).toBe(-32602);
      // The same program may describe itself differently.
      client.capabilities = { elicitation: { form: {} } };
      const second = await client.request('tools/call', retry);
      expect(JSON.parse(second.result.content[0].text).result).toEqual(accepted);
      expect((await client.request('tools/call', retry)).error?.code).toBe(-32602);
    },
  );
});

describe('a call', () => {
  test('of a legacy client is cancelled by its id, within the session only', async () => {
    const { url } = await openGateway({ one: fixture('says-anything') });
    const [left, right] = [await openSession(url), await openSession(url)];
    const calls = [left, right].map((client) =>
      client.exchange('tools/call', { name: 'one__say', arguments: { ...lines(), answers: false } }, { id: 7 }),
    );
    await vi.waitFor(async () => expect((await heard(left)).filter(isSay)).toHaveLength(2), WITHIN);
    await left.post({ method: 'notifications/cancelled', params: { requestId: 7, reason: 'enough' } });
    expect((await calls[0])?.response).toBeUndefined();
    const cancelled = (await heard(left)).filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled).toHaveLength(1);
    void right.end();
    await calls[1];
  });

  test('of a modern client is cancelled when it closes the response', async () => {
    const { url } = await openGateway({ one: fixture('says-anything') });
    const client = await openModern(url);
    const closing = new AbortController();
    const calls = [closing.signal, undefined].map((signal) => {
      const args = { name: 'one__say', arguments: { ...lines(), answers: false } };
      return client.exchange('tools/call', args, { id: 7, ...(signal ? { signal } : {}) }).catch(() => undefined);
    });
    await vi.waitFor(async () => expect((await heard(client)).filter(isSay)).toHaveLength(2), WITHIN);
    closing.abort();
    await calls[0];
    await vi.waitFor(async () => {
      const cancelled = (await heard(client)).filter(({ method }) => method === 'notifications/cancelled');
      expect(cancelled).toHaveLength(1);
    }, WITHIN);
  });
});

const isSay = ({ params }: Message) => params?.['name'] === 'say';

describe('changes', () => {
  test('reach each legacy client on its own stream, under the URI that it subscribed to', async () => {
    const { url } = await openGateway({ one: fixture('offers-everything') });
    const [left, right] = [await openSession(url), await openSession(url)];
    const received: [string, unknown][] = [];
    const closing = new AbortController();
    for (const [name, client] of Object.entries({ left, right })) {
      client.onMessage = ({ method, params }) => {
        if (method === 'notifications/resources/updated') received.push([name, params?.['uri']]);
      };
      await client.listen(closing.signal);
    }
    await left.request('resources/list');
    await left.request('resources/subscribe', { uri: 'test://one/listed' });
    await right.request('resources/subscribe', { uri: 'test://shared' });
    await left.call('one__touch', { uri: 'test://one/listed' });
    await left.call('one__touch', { uri: 'test://shared' });
    await vi.waitFor(() => expect(received).toHaveLength(2), WITHIN);
    expect(received).toEqual([
      ['left', 'test://one/listed'],
      ['right', 'test://shared'],
    ]);
    // The session ends, and with it its subscription.
    expect(await right.end()).toBeLessThan(300);
    await vi.waitFor(async () => {
      const ended = (await heard(left)).filter(({ method }) => method === 'resources/unsubscribe');
      expect(ended.map(({ params }) => params)).toEqual([{ uri: 'test://shared' }]);
    }, WITHIN);
    closing.abort();
  });

  verifies('gateway:modern:listen', 'reach a modern client on its stream, and end with it', async () => {
    const { url } = await openGateway({ one: fixture('offers-everything') });
    const client = await openModern(url);
    const listener = new RawClient(url, 'modern');
    const received: Message[] = [];
    listener.onMessage = (message) => received.push(message);
    const closing = new AbortController();
    const notifications = { resourceSubscriptions: ['test://shared'] };
    const options = { id: 'stream', signal: closing.signal };
    const stream = listener.exchange('subscriptions/listen', { notifications }, options).catch(() => undefined);
    await vi.waitFor(() => expect(received).toHaveLength(1), WITHIN);
    await client.call('one__touch', { uri: 'test://shared' });
    await vi.waitFor(() => expect(received).toHaveLength(2), WITHIN);
    expect(received[1]?.params).toEqual({
      _meta: { 'io.modelcontextprotocol/subscriptionId': 'stream' },
      uri: 'test://shared',
    });
    closing.abort();
    await stream;
    await vi.waitFor(async () => {
      const ended = (await heard(client)).filter(({ method }) => method === 'resources/unsubscribe');
      expect(ended).toHaveLength(1);
    }, WITHIN);
  });
});

verifies('gateway:http:slow-client', 'a client that does not read its response delays no other client', async () => {
  const { url } = await openGateway(
    { one: fixture('floods-progress') },
    { limits: { maxUnreadBytes: 64 * 1024, heartbeatMs: 200, stallTimeoutMs: 1_000 } },
  );
  const client = await openSession(url);
  const body = JSON.stringify({
    ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
    params: { name: 'one__flood', arguments: { count: 200_000 }, _meta: { progressToken: 1 } },
  });
  const headers = {
    ...{ 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    ...{ 'mcp-session-id': client.sessionId ?? '', 'content-length': Buffer.byteLength(body) },
  };
  const lazy = request(url, { method: 'POST', headers });
  const ended = new Promise<void>((resolve) => lazy.once('close', resolve));
  lazy.on('response', (response) => response.pause().on('error', () => {}));
  lazy.on('error', () => {});
  lazy.end(body);
  const results = await Promise.all(
    [1, 2, 3].map((count) => client.call('one__flood', { count }, { meta: { progressToken: count } })),
  );
  expect(results.map(({ result }) => result.content[0].text)).toEqual(['sent 1', 'sent 2', 'sent 3']);
  lazy.destroy();
  await ended;
});

test('a client that disappears is forgotten, and its calls are cancelled', async () => {
  const { url, gateway } = await openGateway(
    { one: fixture('says-anything') },
    { limits: { heartbeatMs: 100, sessionIdleMs: 500 } },
  );
  const watcher = await openModern(url);
  const lost = await openSession(url);
  const closing = new AbortController();
  await lost.listen(closing.signal);
  const args = { name: 'one__say', arguments: { ...lines(), answers: false } };
  const call = lost.exchange('tools/call', args, { signal: closing.signal }).catch(() => undefined);
  await vi.waitFor(async () => expect((await heard(watcher)).filter(isSay)).toHaveLength(1), WITHIN);
  closing.abort();
  await call;
  await vi.waitFor(async () => {
    const cancelled = (await heard(watcher)).filter(({ method }) => method === 'notifications/cancelled');
    expect(cancelled).toHaveLength(1);
  }, WITHIN);
  expect(gateway.clients()).toHaveLength(1);
});

verifies(
  'gateway:http:restored',
  'a session of an earlier process continues without initialize, with its log level and subscriptions',
  async () => {
    const restored: RestoredSession = {
      initializeParams: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'old', version: '1' } },
      logLevel: 'warning',
      subscriptions: ['test://shared'],
    };
    const saved: unknown[] = [];
    const sessionIds = {
      create: () => 'new',
      open: (id: string) => (id === 'old' ? restored : undefined),
      save: (id: string, settings: unknown) => saved.push([id, settings]),
      used() {},
      close() {},
    };
    const { url } = await openGateway({ one: fixture('offers-everything') }, { sessionIds });
    const client = new RawClient(url, 'legacy');
    client.sessionId = 'old';
    const received: Message[] = [];
    client.onMessage = (message) => received.push(message);
    await client.request('tools/list');
    const closing = new AbortController();
    await client.listen(closing.signal);
    await vi.waitFor(() => expect(saved.at(-1)).toEqual(['old', pick(restored)]), WITHIN);
    await client.call('one__log', { level: 'info', data: 'too low' });
    await client.call('one__log', { level: 'error', data: 'high enough' });
    await client.call('one__touch', { uri: 'test://shared' });
    await vi.waitFor(() => {
      const logs = received.filter(({ method }) => method === 'notifications/message');
      expect(logs.map(({ params }) => params?.['data'])).toEqual(
        expect.arrayContaining([expect.stringContaining('restarted'), 'high enough']),
      );
      expect(logs).toHaveLength(2);
      expect(received.filter(({ method }) => method === 'notifications/resources/updated')).toHaveLength(1);
    }, WITHIN);
    expect((await heard(client)).filter(({ method }) => method === 'initialize')).toHaveLength(1);
    closing.abort();
  },
);

function pick({ logLevel, subscriptions }: RestoredSession) {
  return { logLevel, subscriptions };
}
