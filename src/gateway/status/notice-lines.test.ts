import { expect, test } from 'vitest';
import { noticeLines } from './notice-lines.ts';

const failing = (...ids: readonly string[]) => ids.map((id) => ({ id, detail: `${id} ${'x'.repeat(500)}` }));

test('a notice without servers has no line', () => {
  expect(noticeLines([{ label: 'Failed', servers: [] }], 600)).toEqual([]);
});

test('shows details that fit, then the command for all', () => {
  const servers = [{ id: 'a', detail: 'no\nkey' }, { id: 'b' }, { id: 'c', detail: 'no network' }];
  expect(noticeLines([{ label: 'Failed', servers, end: '. Run: x' }], 600)).toEqual([
    'Failed: a (no key), b, c (no network). Run: x',
  ]);
});

test('shows every id, and long details share the remaining room', () => {
  const [line = ''] = noticeLines([{ label: 'Failed', servers: failing('a', 'b', 'c', 'd') }], 200);
  expect(line).toMatch(/^Failed: a \(a x+…\), b \(b x+…\), c \(c x+…\), d \(d x+…\)$/);
  expect(line.length).toBeLessThanOrEqual(200);
});

test('a short detail leaves its room to the next ones', () => {
  const servers = [{ id: 'a', detail: 'no key' }, ...failing('b')];
  const [line = ''] = noticeLines([{ label: 'Failed', servers }], 100);
  expect(line).toHaveLength(100);
});

test('shows only ids if there is no room, also in later notices', () => {
  const notices = [
    { label: 'Failed', servers: failing('a', 'b') },
    { label: 'Degraded', servers: failing('c'), end: '. Run: x' },
  ];
  expect(noticeLines(notices, 40)).toEqual(['Failed: a, b', 'Degraded: c. Run: x']);
});

test('shows a command completely or not at all', () => {
  const servers = ['a', 'b', 'c'].map((id) => ({ id, detail: `run: login ${id}` }));
  expect(noticeLines([{ label: 'Sign-in', servers, isWhole: true }], 40)).toEqual(['Sign-in: a (run: login a), b, c']);
});

test('names the first of very many servers and counts the others', () => {
  const servers = Array.from({ length: 100 }, (_, index) => ({ id: `server-${index}` }));
  const [line = ''] = noticeLines([{ label: 'Failed', servers }], 600);
  expect(line).toMatch(/^Failed: server-0, server-1, .*, server-(\d+) and \d+ more$/);
  expect(line.length).toBeLessThan(300);
});
