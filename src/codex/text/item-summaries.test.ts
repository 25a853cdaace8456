import { expect, test } from 'vitest';
import { summarize, summarizeFiles, summarizePlan, summarizeTool } from './item-summaries.ts';

test('a summary is one line of at most 200 characters', () => {
  expect(summarize('a\n b')).toBe('a b');
  expect(summarize('x'.repeat(201))).toBe(`${'x'.repeat(199)}…`);
});

test('summarizes files by their paths, and a tool by server and name', () => {
  expect(summarizeFiles([])).toBe('');
  expect(
    summarizeFiles([
      { path: '/a', kind: 'add' },
      { path: '/b', kind: 'delete' },
    ]),
  ).toBe('/a, /b');
  expect([summarizeTool('echo', 'say'), summarizeTool('', 'say')]).toEqual(['echo/say', 'say']);
});

test('summarizes a plan by its progress and the current step', () => {
  const done = { step: 'a', status: 'completed' } as const;
  const next = { step: 'b', status: 'pending' } as const;
  const now = { step: 'c', status: 'in_progress' } as const;

  expect([[], [done], [done, next], [next, now]].map(summarizePlan)).toEqual([
    '0 of 0 done',
    '1 of 1 done',
    '1 of 2 done; now: b',
    '0 of 2 done; now: c',
  ]);
});
