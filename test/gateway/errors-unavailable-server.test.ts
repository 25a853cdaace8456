import { describe, expect, test } from 'vitest';
import { fixture } from '../fixtures/paths.ts';
import { verifies } from '../verifies.ts';
import { gatewayHarness, type InitializeOptions } from './harness.ts';
import { receivedParams } from './scripted-lines.ts';

const { openGateway, openSingle } = gatewayHarness();
const CODEX: InitializeOptions = { clientInfo: { name: 'codex-mcp-client', version: '0.166.0' } };

describe('a command that cannot be started', () => {
  verifies(
    ['gateway:errors:spawn', 'gateway:errors:kind', 'gateway:aggregate:failed-start'],
    'is a spawn_error that says what to do, and is not retryable',
    async () => {
      const { connect } = openGateway({ gone: { command: 'no-such-command-anywhere' }, well: fixture('well-behaved') });
      const client = await connect();
      const { error } = await client.call('gone__anything');
      expect(error).toEqual({
        code: 1004,
        message: expect.stringMatching(
          /^Spawn error: command not found: no-such-command-anywhere\. Check PATH.* Run: switchboard mcp test gone$/,
        ),
        data: {
          kind: 'spawn_error',
          retryable: false,
          toolName: 'gone__anything',
          serverName: 'gone',
          original: expect.anything(),
        },
      });
      expect((await client.call('well__echo', { text: 'well' })).result.content[0].text).toBe('well');
    },
  );

  test('is reported to Codex as a result', async () => {
    const { connect } = openGateway({ gone: { command: 'no-such-command-anywhere' } });
    const { result } = await (await connect(CODEX)).call('gone__anything');
    expect(result).toMatchObject({
      content: [{ type: 'text', text: expect.stringMatching(/^Spawn error: command not found: no-such/) }],
      isError: true,
      _meta: { 'switchboard/error': { code: 1004, kind: 'spawn_error', retryable: false, serverName: 'gone' } },
    });
  });

  test('is an initialize error when it is the only server, on the command line', async () => {
    const { open } = openSingle({ command: 'no-such-command-anywhere' });
    const { error } = await open().initialize();
    expect(error).toMatchObject({ code: 1004, data: { kind: 'spawn_error', retryable: false } });
    expect(error?.message).toMatch(/^Spawn error: command not found: no-such-command-anywhere\. Check PATH/);
  });
});

verifies(
  'gateway:errors:timeout-and-crash',
  'a crash during a call is a server_error with an unknown outcome and the last stderr line',
  async () => {
    const { connect } = openGateway({ two: fixture('dies-mid-call') });
    const client = await connect();
    await client.toolNames();
    expect((await client.call('two__die', { code: 7 })).error).toEqual({
      code: 1104,
      message:
        'Server error: two is down: it ended with exit code 7: dies-mid-call: out of cheese. The server may have done this; check before repeating. Run: switchboard mcp test two',
      data: {
        kind: 'server_error',
        retryable: false,
        toolName: 'two__die',
        serverName: 'two',
        original: { code: 7, signal: null, lastLine: 'dies-mid-call: out of cheese', reason: 'PROCESS_EXITED' },
      },
    });
  },
);

test('a call to a server that exits at startup gets the reason', async () => {
  const { connect } = openGateway({ two: fixture('dies-at-start') });
  const { error } = await (await connect()).call('two__echo');
  expect(error).toMatchObject({
    code: 1014,
    data: { kind: 'server_error', retryable: true, toolName: 'two__echo', serverName: 'two' },
  });
  expect(error?.message).toMatch(/^Server error: two is down: it ended with exit code 3: .*API_KEY is not set/);
});

verifies(
  'gateway:errors:timeout-and-crash',
  'a timed-out call is a server_error, and is cancelled at the server',
  async () => {
    const { connect } = openGateway({ one: { ...fixture('says-anything'), requestTimeoutMs: 3_000 } });
    const client = await connect();
    await client.toolNames();
    expect((await client.call('one__say', { lines: [], answers: false })).error).toEqual({
      code: 1008,
      message: expect.stringMatching(
        /^Server error: one did not answer tools\/call within [\d.]+ m?s\. The server may have done this/,
      ),
      data: { kind: 'server_error', retryable: false, toolName: 'one__say', serverName: 'one' },
    });
    expect(await receivedParams(client, 'one__', 'notifications/cancelled')).toEqual([
      { requestId: expect.any(Number), reason: expect.any(String) },
    ]);
  },
);

describe('an unknown tool is a tool_error', () => {
  const unknown: [string, string, string[]][] = [
    ['one__slov', 'Unknown tool: one__slov. Did you mean one__slow?', ['one__slow']],
    ['echo', 'Unknown tool: echo. Did you mean one__echo?', ['one__echo']],
    ['mcp__gateway__one__slow', 'Unknown tool: mcp__gateway__one__slow. Did you mean one__slow?', ['one__slow']],
    ['', 'Unknown tool: .', []],
    ['zzzzzz', 'Unknown tool: zzzzzz.', []],
  ];
  verifies('gateway:errors:unknown-tool', 'with similar names', async () => {
    const { connect } = openGateway({ one: fixture('well-behaved') });
    const client = await connect();
    await client.toolNames();
    for (const [name, message, suggestions] of unknown)
      expect((await client.call(name)).error).toEqual({
        code: -32602,
        message,
        data: { kind: 'tool_error', retryable: false, toolName: name, original: { suggestions } },
      });
  });

  test('and a result for Codex', async () => {
    const { connect } = openGateway({ one: fixture('dies-mid-call') });
    const client = await connect(CODEX);
    await client.toolNames();
    expect((await client.call('one__ecko')).result).toEqual({
      content: [{ type: 'text', text: 'Unknown tool: one__ecko. Did you mean one__echo?' }],
      isError: true,
      _meta: {
        'switchboard/error': {
          code: -32602,
          kind: 'tool_error',
          retryable: false,
          toolName: 'one__ecko',
          original: { suggestions: ['one__echo'] },
        },
      },
    });
  });

  test('a name with line breaks is reported on one line', async () => {
    const { connect } = openGateway({ one: fixture('well-behaved') });
    const client = await connect();
    await client.toolNames();
    expect((await client.call('a\n\u001b[31mb')).error?.message).toBe('Unknown tool: a b.');
  });

  test('a call without a name has invalid params', async () => {
    const { connect } = openGateway({ one: fixture('well-behaved') });
    const client = await connect();
    for (const params of [{}, { name: 7 }, { name: null, arguments: {} }]) {
      expect((await client.request('tools/call', params)).error).toEqual({
        code: -32602,
        message: 'tools/call needs params.name.',
      });
    }
  });
});

test('a call to a tool of a disabled server says so, with the next step', async () => {
  const origin = { layer: 'mcp-json', file: '/p/.mcp.json', line: 3 } as const;
  const { connect } = openGateway(
    { one: fixture('well-behaved') },
    {
      unused: [
        { id: 'off', origin, verdict: { kind: 'disabled', reason: 'disabled in the config', isUntrusted: false } },
        { id: 'strange', origin, verdict: { kind: 'disabled', reason: 'untrusted', isUntrusted: true } },
        { id: 'bad', origin, verdict: { kind: 'error', reason: 'command is missing' } },
      ],
    },
  );
  const client = await connect();
  await client.toolNames();
  const messages = [];
  for (const name of ['off__x', 'strange__x', 'bad__x']) messages.push((await client.call(name)).error?.message);
  expect(messages).toEqual([
    'Unknown tool: off__x. Its server off is disabled: disabled in the config.',
    'Unknown tool: strange__x. Its server strange is disabled: untrusted. Next: switchboard trust /p',
    'Unknown tool: bad__x. Its server bad is error: command is missing. Next: edit /p/.mcp.json:3',
  ]);
});

test('with WRAPPER_ERROR_PASSTHROUGH our own errors have no kind', async () => {
  const { connect } = openGateway({ two: fixture('dies-mid-call') }, { settings: { isErrorPassthrough: true } });
  const client = await connect(CODEX);
  await client.toolNames();
  expect((await client.call('two__die')).error).toEqual({
    code: 1104,
    message:
      'it ended with exit code 1: dies-mid-call: out of cheese. The server may have done this; check before repeating.',
    data: {
      ...{ code: 1, signal: null, lastLine: 'dies-mid-call: out of cheese' },
      ...{ reason: 'PROCESS_EXITED', retryable: false },
    },
  });
});
