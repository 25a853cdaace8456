import { expect, test } from 'vitest';
import { findHidingSetting, unmatchedNames } from './tool-filter.ts';

test.each([
  ['read', 'read', true],
  ['read', 'read_file', false],
  ['read*', 'read_file', true],
  ['*', 'anything', true],
  ['*_file', 'read_file', true],
  ['*_file', 'read_files', false],
  ['a*b*c', 'a-b-b-c', true],
  ['a*b*c', 'a-c', false],
  ['ab*ba', 'aba', false],
  ['a**b', 'ab', true],
  ['r.ad', 'read', false],
  ['x*y', 'x*y', true],
])('the name %j covers the tool %j: %j', (pattern, tool, isCovered) => {
  expect(findHidingSetting({ allow: [pattern], deny: [] }, tool)).toBe(isCovered ? undefined : 'enabled_tools');
  expect(findHidingSetting({ allow: undefined, deny: [pattern] }, tool)).toBe(isCovered ? 'disabled_tools' : undefined);
});

test('disabled_tools wins', () => {
  expect(findHidingSetting({ allow: ['*'], deny: ['write*'] }, 'write_file')).toBe('disabled_tools');
});

test('names that no tool has are told', () => {
  expect(unmatchedNames({ allow: ['read', 'raed'], deny: ['write*', 'delete*'] }, ['read', 'write_file'])).toEqual([
    'enabled_tools: the server has no tool raed',
    'disabled_tools: the server has no tool "delete*"',
  ]);
});

test('a name with many stars costs little', () => {
  expect(findHidingSetting({ allow: ['a*'.repeat(1000)], deny: [] }, 'a'.repeat(999))).toBe('enabled_tools');
});
