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
])('the pattern %j matches the tool %j: %j', (pattern, tool, isCovered) => {
  expect(findHidingSetting({ allow: [pattern], deny: [] }, tool)).toBe(isCovered ? undefined : 'enabled_tools');
  expect(findHidingSetting({ allow: undefined, deny: [pattern] }, tool)).toBe(isCovered ? 'disabled_tools' : undefined);
});

test('disabled_tools takes precedence', () => {
  expect(findHidingSetting({ allow: ['*'], deny: ['write*'] }, 'write_file')).toBe('disabled_tools');
});

test('reports names that no tool has', () => {
  expect(unmatchedNames({ allow: ['read', 'raed'], deny: ['write*', 'delete*'] }, ['read', 'write_file'])).toEqual([
    'enabled_tools: the server has no tool raed',
    'disabled_tools: the server has no tool "delete*"',
  ]);
});

test('matches a pattern with many wildcards quickly', () => {
  expect(findHidingSetting({ allow: ['a*'.repeat(1000)], deny: [] }, 'a'.repeat(999))).toBe('enabled_tools');
});
