import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type TestClient } from './harness.ts';

/** Output on stdout that is not a message, or only half of one, affects only its own server. */
const { openGateway } = gatewayHarness();

const textResult = (text: string) => ({ content: [{ type: 'text', text }] });

/** A server that writes any given line, and a working one. */
async function openWithScriptedServer(options: { requestTimeoutMs?: number } = {}) {
  const { connect } = openGateway({ bad: { ...fixture('says-anything'), ...options }, good: fixture('well-behaved') });
  const client = await connect();
  await client.toolNames();
  const say = (lines: readonly string[], answers = false) => client.call('bad__say', { lines, answers });
  return { client, say };
}

async function expectBothWell(client: TestClient) {
  expect((await client.call('bad__say', { lines: [] })).result).toEqual(textResult('said'));
  expect((await client.call('good__echo', { text: 'hi' })).result).toEqual(textResult('hi'));
}

test('junk, terminal codes and invalid UTF-8 between messages are skipped and logged', async () => {
  const log: string[] = [];
  const { connect } = openGateway({ bad: fixture('prints-junk') }, { log });
  const client = await connect();
  expect(await client.toolNames()).toEqual(['bad__echo']);
  expect((await client.call('bad__echo', { text: 'through' })).result).toEqual(textResult('through'));
  expect(log.filter((line) => line.includes('not JSON')).length).toBeGreaterThan(0);
});

test.each([
  ['text', 'Listening on stdio... '],
  ['a terminal sequence', '\u001b[2K\u001b[1G'],
  ['a brace that starts no message', 'cache { miss } '],
  ['a truncated message', '{"jsonrpc":"2.0","id":99,"result":{"content":[{"ty'],
])('a response after %s on the same line is still read', async (_, junk) => {
  const { client, say } = await openWithScriptedServer();
  const answer = { jsonrpc: '2.0', id: '$id', result: textResult('here') };
  expect((await say([junk + JSON.stringify(answer)])).result).toEqual(textResult('here'));
  await expectBothWell(client);
});

test('a truncated response fails its caller at once, and the next response on the same line is read', async () => {
  const { connect } = openGateway({ bad: fixture('stops-mid-line') });
  const client = await connect();
  await client.toolNames();
  const [half, whole] = await Promise.all([client.call('bad__half'), client.call('bad__echo', { text: 'whole' })]);
  expect(half.error?.data).toMatchObject({ kind: 'server_error', retryable: false, serverName: 'bad' });
  expect(whole.result).toEqual(textResult('whole'));
});

test('a response with a broken character reaches its caller with a replacement character', async () => {
  const { connect } = openGateway({ bad: fixture('broken-text') });
  const client = await connect();
  await client.toolNames();
  expect((await client.call('bad__broken')).result).toEqual(textResult('half \ufffd'));
  expect((await client.call('bad__in-error')).error).toMatchObject({
    code: -32000,
    message: 'Server error: half \ufffd',
  });
  expect((await client.call('bad__echo', { text: 'well' })).result).toEqual(textResult('well'));
});

describe('a malformed response', () => {
  test.each([
    ['a code that is a string', { id: '$id', error: { code: 'EFAIL', message: 'it failed' } }],
    ['a fractional code', { id: '$id', error: { code: 1.5, message: 'it failed' } }],
    ['an error that is a string', { id: '$id', error: 'it failed' }],
    ['an error without a message', { id: '$id', error: { code: -32000 } }],
    ['a result and an error', { id: '$id', result: {}, error: { code: -32000, message: 'it failed' } }],
    ['neither a result nor an error', { id: '$id' }],
    ['no id', { error: { code: -32000, message: 'it failed' } }],
    ['a null id', { id: null, error: { code: -32700, message: 'Parse error' } }],
    ['an object id', { id: {}, result: {} }],
  ])('fails its caller at once: %s', async (_, answer) => {
    const { client, say } = await openWithScriptedServer();
    const { error } = await say([JSON.stringify({ jsonrpc: '2.0', ...answer })]);
    expect(error).toMatchObject({
      code: 1012,
      data: { kind: 'server_error', retryable: false, serverName: 'bad', toolName: 'bad__say' },
    });
    await expectBothWell(client);
  });

  test.each([
    ['well-formed', ['{"jsonrpc":"2.0","id":"$id","result":{"ok":1}}']],
    ['twice', ['{"jsonrpc":"2.0","id":"$id","result":{"ok":1}}', '{"jsonrpc":"2.0","id":"$id","result":{"ok":2}}']],
    [
      'after a response to an unknown id',
      ['{"jsonrpc":"2.0","id":987654321,"result":{}}', '{"id":"$id","result":{"ok":1}}'],
    ],
    ['in a batch', ['[{"jsonrpc":"2.0","id":987654321,"result":{}},{"jsonrpc":"2.0","id":"$id","result":{"ok":1}}]']],
    ['without jsonrpc', ['{"id":"$id","result":{"ok":1}}']],
    ['with a null error', ['{"jsonrpc":"2.0","id":"$id","error":null,"result":{"ok":1}}']],
  ])('is accepted where possible, once: %s', async (_, lines) => {
    const { client, say } = await openWithScriptedServer();
    const sent = await say(lines);
    expect(sent.result).toEqual({ ok: 1 });
    await expectBothWell(client);
    expect(client.received.filter(({ id }) => id === sent.id)).toHaveLength(1);
  });
});

test('a response whose id became a string is matched', async () => {
  const { connect } = openGateway({ bad: fixture('malformed-answers') });
  const client = await connect();
  await client.toolNames();
  expect((await client.call('bad__string-id')).result).toEqual(textResult('the answer'));
});

describe('ten thousand levels of JSON', () => {
  const deep = (levels = 10_000) => '['.repeat(levels) + ']'.repeat(levels);

  test.each([1_000, 5_000, 9_997])('pass as a normal result: %i', async (levels) => {
    const { connect } = openGateway({ bad: fixture('deep-json') });
    const client = await connect();
    await client.toolNames();
    const { result } = await client.call('bad__deep', { levels });
    expect(Object.keys(result)).toEqual(['content', 'structuredContent']);
  });

  test('are limited to 127 for Codex: more become an error that it shows to its model', async () => {
    const { connect } = openGateway({ bad: fixture('deep-json') });
    const client = await connect({ clientInfo: { name: 'codex-mcp-client', version: '0.166.0' } });
    await client.toolNames();
    // The message, its result and the object in it are three levels.
    expect((await client.call('bad__deep', { levels: 124 })).result.isError).toBeUndefined();
    expect((await client.call('bad__deep', { levels: 125 })).result).toMatchObject({
      content: [{ text: 'Server error: tools/call: the answer is nested deeper than 127 levels.' }],
      isError: true,
    });
  });

  test.each([9_998, 100_000, 1_000_000])('become an error beyond the limit: %i', async (levels) => {
    const { connect } = openGateway({ bad: fixture('deep-json') });
    const client = await connect();
    await client.toolNames();
    const { error } = await client.call('bad__deep', { levels });
    expect(error).toMatchObject({
      code: 1012,
      message: 'Server error: tools/call: the answer is nested deeper than 10000 levels.',
      data: { kind: 'server_error', retryable: false, serverName: 'bad' },
    });
    expect((await client.call('bad__echo', { text: 'well' })).result).toEqual(textResult('well'));
  });

  test.each([
    ['a nested batch', deep()],
    ['an unterminated batch', '['.repeat(10_000)],
    ['a notification', `{"jsonrpc":"2.0","method":"notifications/x","params":{"deep":${deep()}}}`],
    ['a log message', `{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","data":${deep()}}}`],
    ['progress', `{"jsonrpc":"2.0","method":"notifications/progress","params":{"progressToken":1,"x":${deep()}}}`],
    ['a cancellation', `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":${deep()}}}`],
    ['a server request', `{"jsonrpc":"2.0","id":1,"method":"sampling/createMessage","params":{"messages":${deep()}}}`],
    ['a server request with a deep id', `{"jsonrpc":"2.0","id":${deep()},"method":"ping"}`],
    [
      'a response to an unknown id',
      `{"jsonrpc":"2.0","id":987654321,"error":{"code":-1,"message":"","data":${deep()}}}`,
    ],
    ['a deep method', `{"jsonrpc":"2.0","method":${deep()}}`],
  ])('are harmless in %s', async (_, line) => {
    const { client, say } = await openWithScriptedServer();
    await say([line], true);
    await expectBothWell(client);
  });

  test('are harmless in an error', async () => {
    const { client, say } = await openWithScriptedServer();
    const { error } = await say([
      `{"jsonrpc":"2.0","id":"$id","error":{"code":-32000,"message":"deep","data":${deep()}}}`,
    ]);
    expect(error).toMatchObject({ code: -32000, message: 'Server error: deep' });
    await expectBothWell(client);
  });
});

test('a server whose entry sets Content-Length framing is called in that framing', async () => {
  const { connect } = openGateway({
    lengths: { ...fixture('speaks-content-length'), framing: 'content-length' },
    lines: fixture('well-behaved'),
  });
  const client = await connect();
  expect(await client.toolNames()).toContain('lengths__echo');
  expect((await client.call('lengths__echo', { text: 'é😀' })).result).toEqual(textResult('é😀'));
});
