import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type Message, type TestClient } from './harness.ts';

const { openGateway } = gatewayHarness();

/** The server's response, and what reaches the client: message, kind, retryable. */
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

describe('a server error on tools/call keeps its code and becomes one line, with the original', () => {
  verifies(
    [
      'gateway:errors:kind',
      'gateway:errors:retryable',
      'gateway:errors:names',
      'gateway:errors:original',
      'gateway:errors:one-line',
      'gateway:errors:code-kept',
      'gateway:errors:method-not-found',
      'gateway:errors:invalid-params',
      'gateway:errors:internal',
      'gateway:errors:server-range',
      'gateway:errors:other-code',
    ],
    'for every row of the table',
    async () => {
      const client = await connected();
      for (const [what, error, message, kind, retryable] of TABLE)
        expect((await failing(client, error)).error, what).toEqual({
          code: error['code'],
          message,
          data: { kind, retryable, toolName: 'one__say', serverName: 'one', original: error },
        });
    },
  );
});

describe('for Codex it is a result with one line of text, and the rest in _meta', () => {
  verifies('gateway:errors:codex-result', 'for every row of the table', async () => {
    const client = await connected({ clientInfo: { name: 'codex-mcp-client', title: 'Codex', version: '0.166.0' } });
    for (const [what, error, message, kind, retryable] of TABLE) {
      const facts = { kind, retryable, toolName: 'one__say', serverName: 'one', original: error };
      expect((await failing(client, error)).result, what).toEqual({
        content: [{ type: 'text', text: message }],
        isError: true,
        _meta: { 'switchboard/error': { code: error['code'], ...facts } },
      });
    }
  });
});

const UNTOUCHED = [-32042, -32020, -32021, -32022, -32800];

verifies('gateway:errors:untouched', 'errors that clients act on pass unchanged', async () => {
  const data = { elicitations: [{ mode: 'url', url: 'https://x' }] };
  for (const name of ['other', 'codex-mcp-client']) {
    const client = await connected({ clientInfo: { name, version: '1' } });
    for (const code of UNTOUCHED) {
      const error = { code, message: 'two\nlines', data, vendor: 1 };
      expect(await failing(client, error)).toEqual({ jsonrpc: '2.0', id: expect.any(Number), error });
    }
  }
});

verifies(
  'gateway:errors:passthrough',
  'with WRAPPER_ERROR_PASSTHROUGH, every error passes byte for byte, also for Codex',
  async () => {
    const { connect } = openGateway({ one: fixture('says-anything') }, { settings: { isErrorPassthrough: true } });
    const client = await connect({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
    await client.toolNames();
    const line =
      '{"jsonrpc":"2.0","error":{"message":"two\\nlines","code":-32603,"data":{"n":9007199254740993,"a":1,"a":2}},"id":"$id"}';
    const { id } = await sayLine(client, line);
    expect(client.lines.at(-1)).toBe(line.replace('"$id"', String(id)));
    expect((await client.call('none')).error).toEqual({
      code: -32602,
      message: 'Unknown tool: none.',
      data: { suggestions: [] },
    });
  },
);

verifies('gateway:call:result-unchanged', 'a result with isError passes unchanged as a result', async () => {
  const client = await connected();
  const result = { content: [{ type: 'text', text: 'it\nfailed' }], isError: true };
  expect(await sayLine(client, `{"jsonrpc":"2.0","id":"$id","result":${JSON.stringify(result)}}`)).toEqual({
    jsonrpc: '2.0',
    id: expect.any(Number),
    result,
  });
});

test('an error on another method is a server error whatever its code, and stays an error for Codex', async () => {
  const { connect } = openGateway({ one: fixture('offers-everything') });
  const client = await connect({ clientInfo: { name: 'codex-mcp-client', version: '1' } });
  await client.request('resources/list');
  expect((await client.request('resources/read', { uri: 'test://one/items/nothing' })).error).toEqual({
    code: -32002,
    message: 'Server error: Resource not found',
    data: {
      uri: 'test://one/items/nothing',
      kind: 'server_error',
      retryable: false,
      serverName: 'one',
      original: { code: -32002, message: 'Resource not found' },
    },
  });
});

test('an extremely nested error is still reported', async () => {
  const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
  for (const name of ['other', 'codex-mcp-client']) {
    const client = await connected({ clientInfo: { name, version: '1' } });
    const answer = await sayLine(
      client,
      `{"jsonrpc":"2.0","id":"$id","error":{"code":-32603,"message":"deep","data":${deep}}}`,
    );
    const facts = { kind: 'server_error', retryable: true, toolName: 'one__say', serverName: 'one' };
    const reported = answer.error ?? { ...answer.result._meta, message: answer.result.content[0].text };
    expect(reported).toEqual(
      name === 'other'
        ? { code: -32603, message: 'Internal error: deep', data: facts }
        : { 'switchboard/error': { code: -32603, ...facts }, message: 'Internal error: deep' },
    );
  }
});

test.each([
  ['a code that is a string', '"code":"EFAIL","message":"m"'],
  ['no message', '"code":1'],
  ['no code', '"message":"m"'],
  ['a fractional code', '"code":1.5,"message":"m"'],
])('an error with %s is reported as an invalid response, which is not retryable', async (_, members) => {
  const client = await connected();
  const { error } = await sayLine(client, `{"jsonrpc":"2.0","id":"$id","error":{${members}}}`);
  expect(error).toMatchObject({
    code: 1012,
    data: { kind: 'server_error', retryable: false, toolName: 'one__say', serverName: 'one' },
  });
  expect(error?.message).toMatch(/^Server error: tools\/call: the server sent a malformed error: /);
});

async function connected(hello = {}): Promise<TestClient> {
  const { connect } = openGateway({ one: fixture('says-anything') });
  const client = await connect(hello);
  await client.toolNames();
  return client;
}

function failing(client: TestClient, error: Record<string, unknown>): Promise<Message> {
  return sayLine(client, `{"jsonrpc":"2.0","id":"$id","error":${JSON.stringify(error)}}`);
}

function sayLine(client: TestClient, line: string): Promise<Message> {
  return client.call('one__say', { lines: [line], answers: false });
}
