import { describe, expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import { errorTable } from '../../base/error-table.ts';
import { AppError, type ErrorCode } from '../../base/errors.ts';
import { type ErrorContext, type ErrorStyle, failureResponse, upstreamErrorResponse } from './error-response.ts';

const CALL: ErrorContext = { method: 'tools/call', publicName: 'one__x', serverName: 'one' };
const STYLE: ErrorStyle = {
  isPassthrough: false,
  asToolResult: false,
  nextCommand: (id) => `switchboard mcp test ${id}`,
};

describe('our own failure has a kind, a retryable flag, and a command if the server is down', () => {
  test.each<[ErrorCode, number, string, boolean, string]>([
    ['SPAWN_FAILED', 1004, 'spawn_error', false, 'Why. Run: switchboard mcp test one'],
    ['CONFIG_INVALID', 1007, 'spawn_error', false, 'Why. Run: switchboard mcp test one'],
    ['PROCESS_EXITED', 1014, 'server_error', true, 'Server error: one is down: Why. Run: switchboard mcp test one'],
    ['START_FAILED', 1044, 'server_error', true, 'Server error: one is down: Why. Run: switchboard mcp test one'],
    // We closed it ourselves, so there is nothing to investigate.
    ['CONNECTION_CLOSED', 1024, 'server_error', true, 'Server error: Why.'],
    [
      'MESSAGE_TOO_LARGE',
      1013,
      'server_error',
      false,
      'Server error: one sent too much at once (request less data): Why.',
    ],
    ['TIMED_OUT', 1008, 'server_error', true, 'Server error: Why.'],
    ['BUSY', 1034, 'server_error', true, 'Server error: Why.'],
    ['BAD_ANSWER', 1012, 'server_error', false, 'Server error: Why.'],
    ['SIGN_IN_NEEDED', 1003, 'server_error', false, 'Why.'],
    ['TOOL_NOT_FOUND', -32602, 'tool_error', false, 'Why.'],
    ['INTERNAL', -32603, 'server_error', false, 'Why.'],
  ])('%s', (code, rpc, kind, retryable, message) => {
    const failure = new AppError(code, 'Why.', { data: { more: 1 } });
    expect(JSON.parse(failureResponse('"id"', failure, CALL, STYLE))).toEqual({
      jsonrpc: '2.0',
      id: 'id',
      error: {
        code: rpc,
        message,
        data: { kind, retryable, toolName: 'one__x', serverName: 'one', original: { more: 1 } },
      },
    });
  });
});

test('every failure is retryable exactly when the error table says so', () => {
  for (const [code, { retryable }] of Object.entries(errorTable())) {
    if (code === 'CANCELLED') continue;
    const { error } = JSON.parse(failureResponse('1', new AppError(code as ErrorCode, 'Why.'), CALL, STYLE));
    expect({ code, retryable: error.data.retryable }).toEqual({ code, retryable });
  }
});

verifies(
  'gateway:errors:code-kept',
  'uses codes outside the reserved range for errors that JSON-RPC and MCP do not define',
  () => {
    const theirs = [-32700, -32600, -32601, -32602, -32603, -32002, -32020, -32021, -32022];
    const reserved = Object.values(errorTable())
      .map(({ rpc }) => rpc)
      .filter((rpc) => rpc >= -32768 && rpc <= -32000);
    expect(reserved.filter((rpc) => !theirs.includes(rpc))).toEqual([]);
  },
);

test('adds a period to a reason before the next command', () => {
  const failure = new AppError('PROCESS_EXITED', 'it ended with exit code 1');
  expect(JSON.parse(failureResponse('1', failure, CALL, STYLE)).error.message).toBe(
    'Server error: one is down: it ended with exit code 1. Run: switchboard mcp test one',
  );
  expect(JSON.parse(failureResponse('1', failure, CALL, { ...STYLE, nextCommand: undefined })).error.message).toBe(
    'Server error: one is down: it ended with exit code 1',
  );
});

test('adds no command to a message that names one', () => {
  const message = 'one needs TOKEN, which is not set (/c.json:5). Run: switchboard secret set TOKEN';
  const failure = new AppError('CONFIG_INVALID', message);
  expect(JSON.parse(failureResponse('1', failure, CALL, STYLE)).error.message).toBe(message);
});

test('omits unknown fields', () => {
  const context = { method: 'resources/read', publicName: undefined, serverName: undefined };
  const failure = new AppError('TIMED_OUT', 'Too late.');
  expect(JSON.parse(failureResponse('1', failure, context, STYLE)).error).toEqual({
    code: 1008,
    message: 'Server error: Too late.',
    data: { kind: 'server_error', retryable: true },
  });
});

describe('the error for an unknown resource', () => {
  const READ: ErrorContext = { method: 'resources/read', publicName: undefined, serverName: 'one', uri: 'a://public' };
  const uriIn = (original: unknown) =>
    JSON.parse(upstreamErrorResponse('1', original, READ, STYLE) ?? '{}').error.data.uri;

  test.each([
    { code: -32602, message: 'none', data: { uri: 'a://own' } },
    { code: -32002, message: 'none', data: { uri: 'a://own' } },
    { code: -32002, message: 'none' },
  ])('of %j contains the URI of the client', (original) => {
    expect(uriIn(original)).toBe('a://public');
  });

  test.each([
    { code: -32602, message: 'bad' },
    { code: -32603, message: 'bad', data: { uri: 7 } },
  ])('%j may be about something else', (original) => {
    expect(uriIn(original)).toBeUndefined();
  });
});

test('passes on a cancellation, and every error with passthrough, unchanged', () => {
  const cancelled = new AppError('CANCELLED', 'no\nmore', { data: { a: 1 } });
  const codex = { ...STYLE, asToolResult: true };
  expect(JSON.parse(failureResponse('1', cancelled, CALL, codex)).error).toEqual({
    code: -32800,
    message: 'no more',
    data: { a: 1 },
  });
  const exited = new AppError('PROCESS_EXITED', 'gone');
  expect(JSON.parse(failureResponse('1', exited, CALL, { ...codex, isPassthrough: true })).error).toEqual({
    code: 1014,
    message: 'gone',
  });
});

test('converts only a tool call failure to a result for Codex', () => {
  const codex = { ...STYLE, asToolResult: true };
  const failure = new AppError('TIMED_OUT', 'Too late.');
  expect(JSON.parse(failureResponse('1', failure, CALL, codex)).result).toEqual({
    content: [{ type: 'text', text: 'Server error: Too late.' }],
    isError: true,
    _meta: {
      'switchboard/error': { code: 1008, kind: 'server_error', retryable: true, toolName: 'one__x', serverName: 'one' },
    },
  });
  expect(JSON.parse(failureResponse('1', failure, { ...CALL, method: 'prompts/get' }, codex)).error.code).toBe(1008);
});

test('leaves invalid errors, and those that a client acts on, unchanged', () => {
  for (const original of [null, 'text', [], {}, { code: '1' }, { code: -32042, message: 'm' }]) {
    expect(upstreamErrorResponse('1', original, CALL, STYLE)).toBeUndefined();
  }
});

test('a code outside tools/call is a server error', () => {
  const text = upstreamErrorResponse('1', { code: 7, message: 'm' }, { ...CALL, method: 'prompts/get' }, STYLE);
  expect(JSON.parse(text ?? '').error.data.kind).toBe('server_error');
});

test('adds the prefix of the table once, regardless of case', () => {
  const messages = ['', 'why', 'internal error', 'Internal error: why', 'INTERNAL ERROR'].map((message) => {
    const text = upstreamErrorResponse('1', { code: -32603, message }, CALL, STYLE);
    return JSON.parse(text ?? '').error.message;
  });
  expect(messages).toEqual([
    'Internal error',
    'Internal error: why',
    'internal error',
    'Internal error: why',
    'INTERNAL ERROR',
  ]);
});

test('logs the original error at debug level', () => {
  const messages: string[] = [];
  upstreamErrorResponse('1', { code: 7, message: 'm' }, CALL, { ...STYLE, debug: (text) => messages.push(text) });
  expect(messages).toEqual(['one: tools/call failed: {"code":7,"message":"m"}']);
});
