import { afterEach, describe, expect, test } from 'vitest';
import type { HttpSettings, ServerEntry } from '../../src/config/server-entry.ts';
import { type ConnectedServer, type ConnectOptions, connectServer } from '../../src/upstream/entry/connect-server.ts';
import { testServer } from '../../src/upstream/entry/test-server.ts';
import { verifies } from '../verifies.ts';
import { answerBasics, httpHarness, methodsOf, ofMethod, sendJson } from './harness.ts';

const { openFixture, openServer, processes } = httpHarness();
const connected: ConnectedServer[] = [];
afterEach(async () => {
  await Promise.all(connected.splice(0).map((server) => server.close()));
});

const testEnvironment = () => {
  const env = processes.env();
  return { env, home: env['HOME'] ?? '/', cwd: process.cwd(), platform: process.platform };
};

async function connect(url: string, options: Partial<ConnectOptions> = {}): Promise<ConnectedServer> {
  const server = await connectServer({ entry: entry(url), environment: testEnvironment(), ...options });
  connected.push(server);
  return server;
}

describe('a server that cannot be used', () => {
  test.each([
    ['answers-html', 'START_FAILED', /answered initialize with text\/html \("Welcome"\)/],
    ['answers-500', 'UNREACHABLE', /answered HTTP 500 Internal Server Error/],
    ['answers-401-plain', 'HTTP_FAILED', /headers\.Authorization/],
    ['redirects-elsewhere', 'HTTP_FAILED', /which Switchboard does not follow/],
  ] as const)('%s: %s, with the reason', async (name, code, message) => {
    const server = await openFixture(name);
    await expect(connect(server.url)).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });

  verifies(
    'host:connect:version-unsupported',
    'has an unknown protocol version: the connection fails with the reason',
    async () => {
      const server = await openServer((came, response) => {
        if (came.message.method !== 'initialize') return answerBasics(came, response);
        const result = { protocolVersion: '1999-01-01', capabilities: { tools: {} }, serverInfo: { name: 'old' } };
        return sendJson(response, { jsonrpc: '2.0', id: came.message.id, result });
      });
      await expect(connect(server.url)).rejects.toMatchObject({ message: expect.stringContaining('1999-01-01') });
      expect(methodsOf(server.requests)).not.toContain('notifications/initialized');
    },
  );

  test('a request whose session is lost fails without waiting', async () => {
    const server = await openFixture('forgets-session', '--calls', '0');
    const host = await connect(server.url);
    await expect(host.request('tools/call', { name: 'echo', arguments: { text: 'a' } })).rejects.toMatchObject({
      code: 'CONNECTION_CLOSED',
    });
  });

  test('a hanging request times out', async () => {
    const server = await openFixture('hangs-at-headers', '--at', 'tools/call');
    const host = await connect(server.url);
    await expect(host.request('tools/call', { name: 'echo' }, { timeoutMs: 200 })).rejects.toMatchObject({
      code: 'TIMED_OUT',
    });
  });
});

describe('a connected server', () => {
  verifies(
    ['host:connect:initialize', 'host:connect:capabilities', 'host:connect:version', 'host:connect:client-info'],
    'gets a minimal initialize, then initialized, then requests',
    async () => {
      const server = await openFixture('well-behaved');
      const host = await connect(server.url);
      await host.request('tools/list');
      const requests = await server.requests();
      const [hello] = ofMethod(requests, 'initialize');
      expect(JSON.parse(hello?.body ?? '').params).toEqual({
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'switchboard', title: 'Switchboard', version: expect.any(String) },
      });
      const order = methodsOf(requests).filter((method) => method !== 'GET');
      expect(order).toEqual(['server/discover', 'initialize', 'notifications/initialized', 'tools/list']);
    },
  );

  test.each(['well-behaved', 'stateless', 'legacy-sse', 'modern'] as const)(
    '%s: lists, calls with progress, answers a server request, and cancels',
    async (name) => {
      const server = await openFixture(name);
      const asked: unknown[] = [];
      const host = await connect(server.url, {
        capabilities: { elicitation: {} },
        onRequest(method) {
          asked.push(method);
          return { action: 'decline' };
        },
      });
      const { pages, problem } = await host.list('tools');
      const names = pages.flatMap((page) => JSON.parse(page.toString('utf8'))).map(({ name: tool }) => tool);
      expect({ names, problem }).toMatchObject({ names: expect.arrayContaining(['echo']), problem: undefined });
      const progress: unknown[] = [];
      const slow = { name: 'slow', arguments: { ms: 40 } };
      await host.request('tools/call', slow, { onProgress: ({ progress: at }) => progress.push(at) });
      expect(progress).toEqual([1, 2, 3, 4]);
      expect(await host.request('tools/call', { name: 'ask' })).toMatchObject({
        content: [{ text: '{"action":"decline"}' }],
      });
      expect(asked).toEqual(['elicitation/create']);
      const given = host.request(
        'tools/call',
        { name: 'slow', arguments: { ms: 60_000 } },
        { signal: AbortSignal.timeout(100) },
      );
      await expect(given).rejects.toMatchObject({ code: 'CANCELLED' });
      expect(await host.request('tools/call', { name: 'count' })).toMatchObject({ content: [{ text: '1' }] });
    },
  );

  verifies('host:connect:close', 'has no session left after the host closes', async () => {
    const server = await openFixture('well-behaved');
    const host = await connect(server.url);
    const hangs = host.request('tools/call', { name: 'slow', arguments: { ms: 60_000 } });
    await expect.poll(async () => ofMethod(await server.requests(), 'tools/call').length).toBe(1);
    const reported = expect(hangs).rejects.toMatchObject({ code: 'OUTCOME_UNKNOWN' });
    await host.close();
    await reported;
    await expect.poll(() => server.control('/_sessions')).toEqual([]);
    await host.close();
  });
});

describe('the steps of mcp test', () => {
  const steps = async (url: string) => {
    const report = await testServer({ entry: entry(url), environment: testEnvironment(), profile: 'none' });
    const offered = report.offered?.lists.tools?.flatMap((page) => JSON.parse(page.toString()));
    return { ...report, steps: report.steps.map(({ name, result }) => [name, result]), offered };
  };

  test.each([
    ['well-behaved', 'responds', '2025-11-25'],
    ['modern', 'uses MCP without sessions', '2026-07-28'],
    ['legacy-sse', 'uses HTTP with SSE', '2024-11-05'],
  ] as const)('for %s show the protocol', async (name, way, version) => {
    const server = await openFixture(name);
    const tools = name === 'modern' ? 9 : 8;
    expect(await steps(server.url)).toEqual({
      steps: [
        ['connect', `${new URL(server.url).host} ${way}`],
        ['sign-in', 'not required'],
        ['initialize', `MCP ${version}, http-fixture 1.0.0`],
        ['tools', `${tools} tools`],
        ['schemas', 'for none: all unchanged'],
      ],
      failed: undefined,
      tools,
      rewritten: 0,
      unusable: [],
      warnings: [],
      stderrTail: [],
      strayOutput: undefined,
      offered: expect.toSatisfy((list: readonly unknown[]) => list.length === tools),
    });
  });

  test('for a server with a key say so', async () => {
    const server = await openFixture('well-behaved');
    const { steps: found } = await testServer({
      entry: entry(server.url, { headers: { authorization: 'Bearer key' } }),
      environment: testEnvironment(),
      profile: 'none',
    });
    expect(found[1]).toMatchObject({ name: 'sign-in', result: 'using the header in its config entry' });
  });

  test('for a broken server show which step failed', async () => {
    const server = await openFixture('answers-html', '--at', 'tools/list');
    expect(await steps(server.url)).toMatchObject({
      failed: { step: 'tools', error: { code: 'BAD_ANSWER' } },
      unusable: [],
    });
  });
});

function entry(url: string, settings: Partial<HttpSettings> = {}): ServerEntry {
  return {
    id: 'far',
    origin: { layer: 'global', file: '/test/config.json', line: 1 },
    transport: {
      kind: 'http',
      url,
      headers: {},
      headerEnv: {},
      bearerTokenEnv: undefined,
      oauth: undefined,
      isSse: false,
      ...settings,
    },
    tools: { allow: undefined, deny: [] },
    startupTimeoutMs: undefined,
    requestTimeoutMs: undefined,
    start: 'eager',
    pin: false,
    sharesSignIn: false,
    restart: 'overlap',
    share: 'folder',
    expandsVariables: false,
  };
}
