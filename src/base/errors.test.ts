import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../test/property-runs.ts';
import { errorTable } from './error-table.ts';
import { AppError, isAppError, messageOf, toAppError } from './errors.ts';

test('custom codes are outside the range reserved for JSON-RPC and MCP', () => {
  const standard = [-32002, -32700, -32600, -32601, -32602, -32603, -32800, -32020, -32021, -32022];
  for (const { rpc } of Object.values(errorTable())) {
    expect(standard.includes(rpc) || rpc < -32768 || rpc > -32000).toBe(true);
  }
});

test('every code has a hint and a documented exit status', () => {
  for (const { exit, hint } of Object.values(errorTable())) {
    expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 130]).toContain(exit);
    expect(hint).toMatch(/\.$/);
  }
});

test('recognizes an AppError by its code, even from another copy of the class', () => {
  const copy = Object.assign(new Error('copy'), { name: 'AppError', code: 'BUSY' });
  expect(isAppError(copy)).toBe(true);
  expect(toAppError(copy)).toBe(copy);
  for (const code of ['ENOENT', 'toString', '__proto__', 5])
    expect(isAppError(Object.assign(new Error('x'), { code }))).toBe(false);
  expect(isAppError({ code: 'BUSY', message: 'no error' })).toBe(false);
});

test('converts any thrown value to an AppError with that value as its cause', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true }), (thrown) => {
      const error = toAppError(thrown);
      expect(error).toMatchObject({ name: 'AppError', code: 'INTERNAL' });
      expect(error.cause).toBe(thrown);
      expect(error.message).not.toBe('');
    }),
    propertyRuns(500),
  );
});

test.each<[string, unknown, string]>([
  ['an error', new Error('disk full'), 'disk full'],
  ['an error without a message', new TypeError(), 'TypeError'],
  ['an error from another realm', runInNewContext('new Error("elsewhere")'), 'elsewhere'],
  ['a plain object with a message', { message: 'disk full' }, 'disk full'],
  ['an error whose message is not a string', Object.assign(new Error('x'), { message: 5 }), '5'],
  ['a string', 'disk full', 'disk full'],
  ['nothing', undefined, 'undefined'],
  ['an empty string', '', 'unknown error'],
  ['a symbol', Symbol('x'), 'Symbol(x)'],
  ['an object that cannot be converted to a string', Object.create(null), 'unknown error'],
])('the message of %s is readable', (_, thrown, message) => {
  expect(messageOf(thrown)).toBe(message);
});

test('keeps the cause, and has no cause property without one', () => {
  const cause = new Error('first');
  expect(new AppError('BUSY', 'x', { cause }).cause).toBe(cause);
  expect('cause' in new AppError('BUSY', 'x')).toBe(false);
});
