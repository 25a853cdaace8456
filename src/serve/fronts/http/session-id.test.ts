import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { MAX_ID_CHARS, openSessionId, sealSessionId } from './session-id.ts';

const key = randomBytes(32);
const context = { journalId: 'journal', tokenId: 'token', path: '/mcp' };
const value = { issuedAt: 1, initializeParams: { protocolVersion: '2025-11-25' } };
const id = String(sealSessionId(value, key, context));

test('an id contains its value, and only visible characters', () => {
  expect(id).toMatch(/^[\w-]+$/);
  expect(openSessionId(id, key, context)).toEqual(value);
  expect(Buffer.from(id, 'base64url').toString('latin1')).not.toContain('protocolVersion');
});

test('two ids of the same value differ', () => {
  expect(sealSessionId(value, key, context)).not.toBe(id);
});

test.each([
  ['token', { ...context, tokenId: 'other' }, key],
  ['path', { ...context, path: '/mcp/other' }, key],
  ['journal', { ...context, journalId: 'other' }, key],
  ['parts that only join to the same text', { ...context, tokenId: 'token/', path: 'mcp' }, key],
  ['key', context, randomBytes(32)],
])('an id is not valid with another %s', (_, otherContext, otherKey) => {
  expect(openSessionId(id, otherKey, otherContext)).toBeUndefined();
});

test('an id with any change is not valid', () => {
  for (let at = 0; at < id.length; at++) {
    const changed = `${id.slice(0, at)}${id[at] === 'A' ? 'B' : 'A'}${id.slice(at + 1)}`;
    expect(openSessionId(changed, key, context)).toBeUndefined();
  }
  for (const changed of [id.slice(1), id.slice(0, -1), `${id}A`, `${id}=`, ` ${id}`, ''])
    expect(openSessionId(changed, key, context)).toBeUndefined();
});

test('arbitrary text is not valid, and never throws', () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.base64String(), fc.stringMatching(/^[\w-]{0,100}$/)), (text) => {
      expect(openSessionId(text, key, context)).toBeUndefined();
    }),
  );
});

test('a value that is too large for an id is not sealed', () => {
  const fits = { text: 'x'.repeat(1400) };
  expect(sealSessionId(fits, key, context)?.length).toBeLessThanOrEqual(MAX_ID_CHARS);
  expect(sealSessionId({ text: 'x'.repeat(1600) }, key, context)).toBeUndefined();
});
