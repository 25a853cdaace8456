import { expect, test } from 'vitest';
import { Session } from '../sessions/session.ts';
import { parseWaitCursor } from './wait-cursor.ts';

const createSession = (id: string) => new Session({ sessionId: id, cwd: '/' }, {}, { maxEvents: 9, runId: 'ab' });

test('rejects an invalid cursor', () => {
  for (const cursor of ['nonsense', 'ab-1', '0123456', '01234567.', '.'])
    expect(() => parseWaitCursor(cursor)).toThrow(
      `This is not a cursor of codex_wait: ${cursor}. Use one from an earlier result, or leave it out.`,
    );
});

test('a reported end is not news, but the end of the next turn is', () => {
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

test('limits the size of a cursor', () => {
  const sessions = Array.from({ length: 500 }, (_, index) => createSession(`s${index}`));
  const cursor = parseWaitCursor(undefined).with(sessions);
  expect(cursor).toHaveLength(200 * 9 - 1);
  expect(parseWaitCursor(cursor).has(sessions[499] ?? createSession(''))).toBe(true);
});
