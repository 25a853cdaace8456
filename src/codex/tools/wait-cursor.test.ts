import { expect, test } from 'vitest';
import { Session } from '../sessions/session.ts';
import { parseWaitCursor } from './wait-cursor.ts';

const createSession = (id: string) => new Session({ sessionId: id, cwd: '/' }, {}, { maxEvents: 9, runId: 'ab' });

test('what is no cursor is refused', () => {
  for (const cursor of ['nonsense', 'ab-1', '0123456', '01234567.', '.'])
    expect(() => parseWaitCursor(cursor)).toThrow(`This is no cursor of codex_wait: ${cursor}`);
});

test('an end that was told is not news; the end of the next turn is', () => {
  const [one, other] = [createSession('one'), createSession('other')];
  one.beginTurn();
  one.endTurn({ status: 'completed', lastMessage: 'x' });
  const cursor = parseWaitCursor(undefined).with([one]);
  expect([parseWaitCursor(cursor).has(one), parseWaitCursor(cursor).has(other), parseWaitCursor('').has(one)]).toEqual([
    true,
    false,
    false,
  ]);
  one.beginTurn();
  one.endTurn({ status: 'completed', lastMessage: 'x' });
  expect(parseWaitCursor(cursor).has(one)).toBe(false);
  expect(parseWaitCursor(parseWaitCursor(cursor).with([other])).has(other)).toBe(true);
});

test('a cursor does not grow without end', () => {
  const sessions = Array.from({ length: 500 }, (_, index) => createSession(`s${index}`));
  const cursor = parseWaitCursor(undefined).with(sessions);
  expect(cursor).toHaveLength(200 * 9 - 1);
  expect(parseWaitCursor(cursor).has(sessions[499] ?? createSession(''))).toBe(true);
});
