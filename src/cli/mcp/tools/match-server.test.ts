import { expect, test } from 'vitest';
import { createServerNamePattern } from './match-server.ts';

const IDS = ['every', 'git', 'github', 'a', 'a.with'];

test.each([
  ['every.*', ['every']],
  ['EVERY.echo', ['every']],
  ['git*.create?issue', ['git', 'github']],
  ['git?.x', []],
  ['*.echo', IDS],
  ['a.*', ['a']],
  ['a.with.*', ['a', 'a.with']],
  ['echo', []],
  ['every', []],
  ['ery.echo', []],
  ['.echo', []],
  ['nobody.*', []],
])('%s matches the servers %j', (pattern, named) => {
  expect(IDS.filter(createServerNamePattern(pattern))).toEqual(named);
});
