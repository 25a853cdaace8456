import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createConditionLog } from './condition-log.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

const READY = { kind: 'ready' } as const;
const FAILED = { kind: 'failed', reason: 'it was ended by SIGKILL', next: 'switchboard mcp test one' } as const;

function open() {
  const lines: string[] = [];
  return { lines, news: createConditionLog((line) => lines.push(line)) };
}

test('logs a change in one line, with the reason and the next command', () => {
  const { lines, news } = open();
  news.setBaseline('one', READY);
  news.update('one', READY);
  news.update('one', FAILED);
  news.update('one', { ...FAILED, reason: 'another' });
  news.update('one', { kind: 'auth_required', next: 'switchboard mcp login one' });
  news.update('one', { kind: 'degraded', reason: 'tools/list failed.' });
  news.update('one', READY);
  expect(lines).toEqual([
    'one failed: it was ended by SIGKILL. Run: switchboard mcp test one',
    'one needs a sign-in. Run: switchboard mcp login one',
    'one is degraded: tools/list failed.',
    'one is ready now.',
  ]);
});

test('logs nothing for an unknown or removed server, or after stop', () => {
  const { lines, news } = open();
  news.update('one', FAILED);
  news.setBaseline('one', undefined);
  news.update('one', READY);
  news.remove('one');
  news.update('one', FAILED);
  news.setBaseline('two', READY);
  news.stop();
  news.update('two', FAILED);
  expect(lines).toEqual(['one is ready now.']);
});

test('limits a flapping server to six lines a minute, and counts the others', () => {
  const { lines, news } = open();
  news.setBaseline('one', READY);
  news.setBaseline('two', READY);
  for (let count = 0; count < 500; count++) for (const condition of [FAILED, READY]) news.update('one', condition);
  expect(lines).toHaveLength(6);
  news.update('two', FAILED);
  expect(lines.at(-1)).toMatch(/^two failed/);
  vi.advanceTimersByTime(60_000);
  expect(lines.slice(7)).toEqual(['one: 994 more changes within a minute. one is ready now.']);
  for (let count = 0; count < 500; count++) for (const condition of [FAILED, READY]) news.update('one', condition);
  expect(lines).toHaveLength(13);
  vi.advanceTimersByTime(60_000);
  expect(lines).toHaveLength(14);
  vi.advanceTimersByTime(600_000);
  expect(lines).toHaveLength(14);
  news.update('one', FAILED);
  expect(lines).toHaveLength(15);
});
