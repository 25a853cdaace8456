import { expect, test } from 'vitest';
import type { FileChange } from '../item-types.ts';
import { toUnifiedDiff } from './unified-diff.ts';

const diffOf = (...changes: FileChange[]) => toUnifiedDiff(changes, '/w').split('\n');

test('has no diff for a change without one', () => {
  expect(toUnifiedDiff([{ path: '/w/a', kind: 'add' }], '/w')).toBe('');
  expect(toUnifiedDiff([{ path: '/w/a', kind: 'update', diff: '' }], '/w')).toBe('');
  expect(toUnifiedDiff([], '/w')).toBe('');
});

test('an added file is all additions, and a deleted one all deletions', () => {
  expect(diffOf({ path: '/w/in/a', kind: 'add', diff: 'one\n\ntwo\n' })).toEqual([
    'diff --git a/in/a b/in/a',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/in/a',
    '@@ -0,0 +1,3 @@',
    '+one',
    '+',
    '+two',
    '',
  ]);
  expect(diffOf({ path: '/w/a', kind: 'delete', diff: 'one' })).toEqual([
    'diff --git a/a b/a',
    'deleted file mode 100644',
    '--- a/a',
    '+++ /dev/null',
    '@@ -1,1 +0,0 @@',
    '-one',
    '\\ No newline at end of file',
    '',
  ]);
  expect(diffOf({ path: '/w/a', kind: 'add', diff: '' })).toEqual(['diff --git a/a b/a', 'new file mode 100644', '']);
});

test('hunks get file headers, one change after the other', () => {
  const hunk = '@@ -1 +1 @@\n-1\n+2';
  expect(diffOf({ path: '/w/a', kind: 'add', diff: '1\n' }, { path: '/w/a', kind: 'update', diff: hunk })).toEqual([
    'diff --git a/a b/a',
    'new file mode 100644',
    '--- /dev/null',
    '+++ b/a',
    '@@ -0,0 +1,1 @@',
    '+1',
    'diff --git a/a b/a',
    '--- a/a',
    '+++ b/a',
    '@@ -1 +1 @@',
    '-1',
    '+2',
    '',
  ]);
});

test('a moved file is renamed, changed or not', () => {
  const moved = { path: '/w/a', kind: 'update', movedTo: '/w/b c' } as const;
  const heads = ['diff --git a/a b/b c', 'rename from a', 'rename to b c'];
  expect(diffOf({ ...moved, diff: '@@ -1 +1 @@\n-1\n+2\n\n\nMoved to: /w/b c' })).toEqual([
    ...heads,
    '--- a/a',
    '+++ b/b c\t',
    '@@ -1 +1 @@',
    '-1',
    '+2',
    '',
  ]);
  expect(diffOf({ ...moved, diff: '\n\nMoved to: /w/b c' })).toEqual([...heads, '']);
});

test.each([
  ['/else/where', 'else/where'],
  ['/w/../w2/a', 'w/../w2/a'],
  ['a/b', 'a/b'],
])('outside the folder %s is written as %s', (path, name) => {
  expect(diffOf({ path, kind: 'add', diff: '' })[0]).toBe(`diff --git a/${name} b/${name}`);
});

test('quotes a name with line breaks as git does', () => {
  expect(diffOf({ path: '/w/a"\n b', kind: 'delete', diff: 'x\n' }).slice(0, 3)).toEqual([
    'diff --git "a/a\\"\\n b" "b/a\\"\\n b"',
    'deleted file mode 100644',
    '--- "a/a\\"\\n b"',
  ]);
});
