import { expect, test } from 'vitest';
import { toExit, toJsonRpcError, toToolResult } from './error-translation.ts';
import { AppError } from './errors.ts';

const error = new AppError('TIMED_OUT', 'first line\r\n   second\n\n', { data: { server: 'a', code: 'fake' } });

test('a tool result has one line of text, and the details in _meta', () => {
  expect(toToolResult(error)).toEqual({
    content: [{ type: 'text', text: 'first line second' }],
    isError: true,
    _meta: { 'switchboard/error': { server: 'a', code: 'TIMED_OUT', retryable: true } },
  });
});

test('a JSON-RPC error has the code of the table, and data only if there is any', () => {
  expect(toJsonRpcError(error)).toEqual({
    code: 1008,
    message: 'first line second',
    data: { server: 'a', code: 'fake' },
  });
  expect(toJsonRpcError(new Error('boom'))).toEqual({ code: -32603, message: 'boom' });
});

test('an exit has the message and a hint as text, or one JSON document', () => {
  expect(toExit(error, { json: false })).toEqual({
    status: 8,
    text: 'first line second\nTry again, or allow more time.',
  });
  const { status, text } = toExit(error, { json: true });
  expect({ status, error: JSON.parse(text).error }).toEqual({
    status: 8,
    error: {
      server: 'a',
      code: 'TIMED_OUT',
      retryable: true,
      message: error.message,
      hint: 'Try again, or allow more time.',
    },
  });
});

test.each([
  'There is no server githib. Did you mean github?',
  'one: it ended with exit code 1 (/a/config.json:3). Run: switchboard mcp test one',
  'one.find does not accept these arguments. limit: missing. See: switchboard mcp tool one.find',
  'Name one server. Usage: switchboard mcp test <id> [options]; see switchboard mcp test --help',
])('omits the hint from text if the message names the next step, but keeps it in JSON: %s', (message) => {
  const thrown = new AppError('USAGE', message);
  expect(toExit(thrown, { json: false })).toEqual({ status: 2, text: message });
  expect(JSON.parse(toExit(thrown, { json: true }).text).error).toMatchObject({
    hint: expect.stringContaining('--help'),
  });
});

test.each([
  ['USAGE', 'The working folder no longer exists. Change to an existing folder, then run the command again.'],
  ['CANCELLED', 'Nothing was trusted.'],
  ['DENIED', 'a.b is denied by rule 1 of permissions.json.'],
  ['TOOL_FAILED', 'The tool answered with an error: no such issue.'],
  ['REQUEST_FAILED', 'a: Rate limit exceeded.'],
  ['SPAWN_FAILED', 'Spawn error: command not found: x. Check PATH, or give the full path of the command'],
] as const)('adds no hint to a message with code %s', (code, message) => {
  expect(toExit(new AppError(code, message), { json: false }).text).toBe(message);
});

test('reports an error in JSON even if its data is not serializable', () => {
  const { status, text } = toExit(new AppError('BUSY', 'x', { data: { n: 1n } }), { json: true });
  expect(status).toBe(4);
  expect(JSON.parse(text)).toMatchObject({ error: { code: 'BUSY', message: 'x', retryable: true } });
});

test('never includes a stack', () => {
  const thrown = new Error('boom');
  const shown = JSON.stringify([toToolResult(thrown), toJsonRpcError(thrown), toExit(thrown, { json: true })]);
  expect(shown).not.toContain('translate.test');
});

test('collapses a million blanks in a message in linear time', () => {
  expect(toJsonRpcError(new Error(`a${' '.repeat(1_000_000)}b`)).message).toBe('a b');
});
