import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { gatewayHarness, type Message, type TestClient } from './harness.ts';

const { openGateway } = gatewayHarness();

/** What the server answers, and what of it reaches the client: message, kind, retryable. */
const TABLE: readonly [
  what: string,
  error: Record<string, unknown>,
  message: string,
  kind: string,
  retryable: boolean,
][] = [
  ['-32601', { code: -32601, message: 'nope' }, 'Method not found: nope', 'server_error', false],
  ['-32601 in its own words', { code: -32601, message: 'Method not found' }, 'Method not found', 'server_error', false],
  ['-32602', { code: -32602, message: 'x is missing' }, 'Invalid params: x is missing', 'server_error', false],
  ['-32603', { code: -32603, message: 'it broke' }, 'Internal error: it broke', 'server_error', true],
  ['-32603 without a word', { code: -32603, message: '' }, 'Internal error', 'server_error', true],
  ['-32000', { code: -32000, message: 'later' }, 'Server error: later', 'server_error', false],
  [
    '-32000, retryable',
    { code: -32000, message: 'later', data: { retryable: true, n: 1.5 } },
    'Server error: later',
    'server_error',
    true,
  ],
  [
    '-32099, not retryable',
    { code: -32099, message: 'server error: no', data: { retryable: false } },
    'server error: no',
    'server_error',
    false,
  ],
  ['-32100', { code: -32100, message: 'odd' }, 'odd', 'tool_error', false],
  ['a code of its own', { code: 7, message: 'my own' }, 'my own', 'tool_error', false],
  ['-32700', { code: -32700, message: 'what?' }, 'what?', 'tool_error', false],
  ['-32600', { code: -32600, message: 'what?' }, 'what?', 'tool_error', false],
  ['many lines', { code: 7, message: 'one\n  two\r\n\u001b[31mthree\u001b[0m' }, 'one two three', 'tool_error', false],
  [
    'data of any shape',
    { code: -32603, message: 'm', data: ['x', null], vendor: { a: 1 } },
    'Internal error: m',
    'server_error',
    true,
  ],
];

describe('an error of a server on tools/call keeps its code and is told in one line, with what it was', () => {
  test.each(TABLE)('%s', async (_, error, message, kind, retryable) => {
    const client = await connected();
    expect(await failing(client, error)).toEqual({
      jsonrpc: '2.0',
      id: 'failing',
      error: {
        code: error['code'],
        message,
        data: { kind, retryable, toolName: 'one__say', serverName: 'one', original: error },
      },
    });
  });
});

describe('for Codex it is a result with one line of text, and the rest in _meta', () => {
  test.each(TABLE)('%s', async (_, error, message, kind, retryable) => {
    const client = await connected({ clientInfo: { name: 'codex-mcp-client', title: 'Codex', version: '0.166.0' } });
    expect(await failing(client, error)).toEqual({
      jsonrpc: '2.0',
      id: 'failing',
      result: {
        content: [{ type: 'text', text: message }],
        isError: true,
        _meta: {
          'switchboard/error': {
            code: error['code'],
            kind,
            retryable,
            toolName: 'one__say',
            serverName: 'one',
            original: error,
          },
        },
      },
    });
  });
});

const UNTOUCHED = [-32042, -32020, -32021, -32022, -32800];

describe('what a client acts upon passes as it is', () => {
  test.each(UNTOUCHED)('%d', async (code) => {
    const error = {
      code,
      message: 'two\nlines',
      data: { elicitations: [{ mode: 'url', url: 'https://x' }] },
      vendor: 1,
    };
    for (const name of ['other', 'codex-mcp-client']) {
      const client = await connected({ clientInfo: { name, version: '1' } });
      expect(await failing(client, error)).toEqual({ jsonrpc: '2.0', id: 'failing', error });
    }
  });
});

test('with WRAPPER_ERROR_PASSTHROUGH every error passes byte for byte, also for Codex', async () => {
  const { connect } = openGateway({ one: fixture('says-anything') }, { settings: { isErrorPassthrough: true } });
  const client = await connect({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
  await client.toolNames();
  const line =
    '{"jsonrpc":"2.0","error":{"message":"two\\nlines","code":-32603,"data":{"n":9007199254740993,"a":1,"a":2}},"id":"$id"}';
  client.send(callOf([line]));
  await client.answer('failing');
  expect(client.lines.at(-1)).toBe(line.replace('"$id"', '"failing"'));
  expect((await client.call('none')).error).toEqual({
    code: -32602,
    message: 'Unknown tool: none.',
    data: { suggestions: [] },
  });
});

test('a result with isError is a result, and passes as it is', async () => {
  const client = await connected();
  const result = { content: [{ type: 'text', text: 'it\nfailed' }], isError: true };
  expect(await saying(client, `{"jsonrpc":"2.0","id":"$id","result":${JSON.stringify(result)}}`)).toEqual({
    jsonrpc: '2.0',
    id: 'failing',
    result,
  });
});

test('an error on another method is of the server, whatever its code, and for Codex an error too', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
  await client.request('resources/list');
  expect((await client.request('resources/read', { uri: 'test://one/items/nothing' })).error).toEqual({
    code: -32002,
    message: 'Server error: Resource not found',
    data: {
      kind: 'server_error',
      retryable: false,
      serverName: 'one',
      original: { code: -32002, message: 'Resource not found' },
    },
  });
});

test('an error that is nested beyond all measure is still told', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  for (const name of ['other', 'codex-mcp-client']) {
    const client = await connected({ clientInfo: { name, version: '1' } });
    const answer = await saying(
      client,
      `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"deep","data":${deep}}}`,
    );
    const facts = { kind: 'server_error', retryable: true, toolName: 'one__say', serverName: 'one' };
    const told = answer.error ?? { ...answer.result._meta, message: answer.result.content[0].text };
    expect(told).toEqual(
      name === 'other'
        ? { code: -32603, message: 'Internal error: deep', data: facts }
        : { 'switchboard/error': { code: -32603, ...facts }, message: 'Internal error: deep' },
    );
  }
});

test.each([
  ['a code that is text', '"code":"EFAIL","message":"m"'],
  ['no message', '"code":1'],
  ['no code', '"message":"m"'],
  ['a code that is no whole number', '"code":1.5,"message":"m"'],
])('an error with %s is answered as one that may be tried again', async (_, members) => {
  const client = await connected();
  const { error } = await saying(client, `{"jsonrpc":"2.0","id":"$id","error":{${members}}}`);
  expect(error).toMatchObject({
    code: 1012,
    data: { kind: 'server_error', retryable: true, toolName: 'one__say', serverName: 'one' },
  });
  expect(error?.message).toMatch(/^tools\/call: the server sent a malformed error: /);
});

async function connected(hello = {}): Promise<TestClient> {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect(hello);
  await client.toolNames();
  return client;
}

function failing(client: TestClient, error: Record<string, unknown>): Promise<Message> {
  return saying(client, `{"jsonrpc":"2.0","id":"$id","error":${JSON.stringify(error)}}`);
}

function saying(client: TestClient, line: string): Promise<Message> {
  client.send(callOf([line]));
  return client.answer('failing');
}

function callOf(lines: string[]): Message {
  return {
    jsonrpc: '2.0',
    id: 'failing',
    method: 'tools/call',
    params: { name: 'one__say', arguments: { lines, answers: false } },
  };
}
