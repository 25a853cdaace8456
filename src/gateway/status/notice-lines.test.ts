import { expect, test } from 'vitest';
import { noticeLines } from './notice-lines.ts';

const failing = (...ids: readonly string[]) => ids.map((id) => ({ id, detail: `${id} ${'x'.repeat(500)}` }));

test('a notice about nobody is no line', () => {
  expect(noticeLines([{ label: 'Failed', servers: [] }], 600)).toEqual([]);
});

test('details that fit are shown, then what to do about all of them', () => {
  const servers = [{ id: 'a', detail: 'no\nkey' }, { id: 'b' }, { id: 'c', detail: 'no network' }];
  expect(noticeLines([{ label: 'Failed', servers, end: '. Run: x' }], 600)).toEqual([
    'Failed: a (no key), b, c (no network). Run: x',
  ]);
});

test('every id is shown; long details share the room that is left', () => {
  const [line = ''] = noticeLines([{ label: 'Failed', servers: failing('a', 'b', 'c', 'd') }], 200);
  expect(line).toMatch(/^Failed: a \(a x+…\), b \(b x+…\), c \(c x+…\), d \(d x+…\)$/);
  expect(line.length).toBeLessThanOrEqual(200);
});

test('a short detail leaves its room to those that follow', () => {
  const servers = [{ id: 'a', detail: 'no key' }, ...failing('b')];
  const [line = ''] = noticeLines([{ label: 'Failed', servers }], 100);
  expect(line).toHaveLength(100);
});

test('without room there are only ids, of later notices too', () => {
  const notices = [
    { label: 'Failed', servers: failing('a', 'b') },
    { label: 'Degraded', servers: failing('c'), end: '. Run: x' },
  ];
  expect(noticeLines(notices, 40)).toEqual(['Failed: a, b', 'Degraded: c. Run: x']);
});

test('a command is shown whole or not at all', () => {
  const servers = ['a', 'b', 'c'].map((id) => ({ id, detail: `run: login ${id}` }));
  expect(noticeLines([{ label: 'Sign-in', servers, isWhole: true }], 40)).toEqual(['Sign-in: a (run: login a), b, c']);
});

test('of very many servers the first are named, and the others counted', () => {
  const servers = Array.from({ length: 100 }, (_, index) => ({ id: `server-${index}` }));
  const [line = ''] = noticeLines([{ label: 'Failed', servers }], 600);
  expect(line).toMatch(/^Failed: server-0, server-1, .*, server-(\d+) and \d+ more$/);
  expect(line.length).toBeLessThan(300);
});
