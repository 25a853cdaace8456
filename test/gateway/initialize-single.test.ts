import { expect, test } from 'vitest';
import { VERSION } from '../../src/base/version.ts';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness } from './harness.ts';
import { receivedLines, receivedMessages } from './scripted-lines.ts';

const { openSingle } = gatewayHarness();

test('the response of the single server is forwarded unchanged', async () => {
  const { open } = openSingle(fixture('gives-instructions', 'Many\nlines.'));
  expect(await open().initialize({ protocolVersion: '2024-11-05' })).toEqual({
    jsonrpc: '2.0',
    id: 1,
    result: {
      protocolVersion: '2024-11-05',
      capabilities: { tools: {}, experimental: { vendor: { n: 1.5 } } },
      serverInfo: { name: 'gives-instructions', title: 'Instructions', version: '7', icons: [], vendor: null },
      instructions: 'Many\nlines.',
      _meta: { vendor: 'kept' },
    },
  });
});

test('the server gets the initialize params of the client byte for byte', async () => {
  const { open } = openSingle(fixture('says-anything'));
  const client = open();
  const params =
    '{"protocolVersion":"2026-07-28","capabilities":{"experimental":{"n":9007199254740993,"a":1,"a":2}},"clientInfo":{"name":"me"},"vendor":1.0}';
  client.sendLine(`{"jsonrpc":"2.0","id":"h","method":"initialize","params":${params}}`);
  await client.answer('h');
  client.notify('notifications/initialized');
  const [hello, ready, ...rest] = await receivedLines(client, '');
  expect(hello).toMatch(/^\{"jsonrpc":"2.0","id":\d+,"method":"initialize","params":/);
  expect(hello).toContain(params);
  expect(ready).toBe('{"jsonrpc":"2.0","method":"notifications/initialized"}');
  expect(rest).toEqual([]);
});

verifies(
  'gateway:initialize:minimal',
  'initialize waits for a slow server only up to the limit, and list_changed follows later',
  async () => {
    const { open } = openSingle(fixture('slow-start', '250'), { settings: { initTimeoutMs: 30 } });
    const client = open();
    expect((await client.initialize({ protocolVersion: '2025-03-26' })).result).toEqual({
      protocolVersion: '2025-03-26',
      capabilities: {
        tools: { listChanged: true },
        resources: { listChanged: true },
        prompts: { listChanged: true },
      },
      serverInfo: { name: 'switchboard', title: 'Switchboard', version: VERSION },
    });
    expect(await client.request('ping')).toMatchObject({ result: {} });
    await client.waitFor(({ method }) => method === 'notifications/tools/list_changed');
    expect(await client.toolNames()).toEqual(['echo']);
    expect(client.received.filter(({ method }) => method !== undefined)).toEqual([
      { jsonrpc: '2.0', method: 'notifications/tools/list_changed' },
    ]);
  },
);

test('a client that becomes ready after its slow server is notified of the change then', async () => {
  const { open, gateway } = openSingle(fixture('slow-start', '100'), { settings: { initTimeoutMs: 0 } });
  const client = open();
  await client.request('initialize', { protocolVersion: '2025-11-25', capabilities: {} });
  await expect.poll(() => gateway.upstreams()[0]?.state.kind).toBe('ready');
  expect(client.notifications('notifications/tools/list_changed')).toEqual([]);
  client.notify('notifications/initialized');
  await client.waitFor(({ method }) => method === 'notifications/tools/list_changed');
});

test('requests sent while the server starts are answered when it is ready', async () => {
  const { connect } = openSingle(fixture('slow-start', '150'), { settings: { initTimeoutMs: 0 } });
  const client = await connect();
  const [list, call] = [client.request('tools/list'), client.call('echo', { text: 'early' })];
  expect((await list).result.tools).toMatchObject([{ name: 'echo' }]);
  expect((await call).result.content[0].text).toBe('early');
});

test('notifications sent while the server starts reach it in order, before requests', async () => {
  const { connect } = openSingle(fixture('says-anything'), { settings: { initTimeoutMs: 0 } });
  const client = await connect();
  client.notify('notifications/roots/list_changed');
  client.notify('vendor/news', { n: 1 });
  expect((await receivedMessages(client, '')).map(({ method }) => method)).toEqual([
    'initialize',
    'notifications/initialized',
    'notifications/roots/list_changed',
    'vendor/news',
  ]);
});

test('before initialize nothing is forwarded, and every request gets a response', async () => {
  const { open } = openSingle(fixture('says-anything'));
  const client = open();
  expect((await client.call('say', { lines: [] })).error).toEqual({
    code: -32600,
    message: 'tools/call was sent before initialize.',
  });
  expect((await client.request('tools/list')).error).toMatchObject({ code: -32600 });
  expect((await client.request('server/discover')).error).toMatchObject({ code: -32601 });
  await client.initialize();
  expect((await receivedMessages(client, '')).map(({ method }) => method)).toEqual([
    'initialize',
    'notifications/initialized',
  ]);
});

test('definitions are forwarded unchanged, whatever is wrong with them', async () => {
  const { connect } = openSingle(fixture('odd-tools'));
  const client = await connect();
  const { result } = await client.request('tools/list');
  expect(result.tools).toHaveLength(24);
  expect(result.tools[1]).toEqual({ name: 'no-schema' });
  expect(result.tools.at(-1)).toBeNull();
  expect((await client.call('with spaces / and $(signs)')).result.content[0].text).toBe('with spaces / and $(signs)');
});

test('pages and cursors are those of the server', async () => {
  const { connect } = openSingle(fixture('pages-its-list', '3'));
  const client = await connect();
  const first = await client.request('tools/list');
  expect(first.result).toMatchObject({ tools: [{ name: 'tool-1' }, { name: 'tool-2' }], nextCursor: '2' });
  const second = await client.request('tools/list', { cursor: '2' });
  expect(second.result).toMatchObject({ tools: [{ name: 'tool-3' }, { name: 'tool-4' }], nextCursor: '3' });
});

test('call errors are results for Codex', async () => {
  const { connect } = openSingle(fixture('dies-mid-call'));
  const client = await connect({ clientInfo: { name: 'codex-mcp-client', version: '0.166.0' } });
  expect((await client.call('die')).result).toMatchObject({
    content: [
      {
        type: 'text',
        text: 'Server error: node is down: it ended with exit code 1: dies-mid-call: out of cheese. The server may have done this; check before repeating.',
      },
    ],
    isError: true,
    _meta: { 'switchboard/error': { code: 1104, kind: 'server_error', retryable: false, toolName: 'die' } },
  });
  expect((await client.call('echo', { text: 'again' })).result.content[0].text).toBe('again');
});

test('errors have the same form as with several servers, with the name of the command', async () => {
  const { connect } = openSingle(fixture('malformed-answers'));
  const client = await connect();
  expect((await client.call('none')).error).toEqual({
    code: -32602,
    message: 'Invalid params: Unknown tool: none',
    data: {
      kind: 'server_error',
      retryable: false,
      toolName: 'none',
      serverName: 'node',
      original: { code: -32602, message: 'Unknown tool: none' },
    },
  });
});
