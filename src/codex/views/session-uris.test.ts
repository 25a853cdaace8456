import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSessionUri, SESSIONS_URI, sessionUri } from './session-uris.ts';

test.each([
  ['the list of all sessions', SESSIONS_URI],
  ['no session', `${SESSIONS_URI}/`],
  ['a part that there is not', `${SESSIONS_URI}/a/history`],
  ['more behind the part', `${SESSIONS_URI}/a/diff/x`],
  ['another query', `${SESSIONS_URI}/a/diff?x=1`],
  ['a page without a place', `${SESSIONS_URI}/a/diff?page=`],
  ['a query', `${SESSIONS_URI}/a?x=1`],
  ['a fragment', `${SESSIONS_URI}/a#x`],
  ['a percent sign that encodes nothing', `${SESSIONS_URI}/%zz`],
  ['another scheme', 'file://sessions/a'],
])('is no address of a session: %s', (_, uri) => {
  expect(parseSessionUri(uri)).toBeUndefined();
});

test('an address of a session, and of its parts', () => {
  expect(sessionUri('a', 'diff')).toBe('codex://sessions/a/diff');
  expect(parseSessionUri('codex://sessions/a')).toEqual({ sessionId: 'a', part: undefined });
  expect(parseSessionUri('codex://sessions/a%2Fb/transcript')).toEqual({ sessionId: 'a/b', part: 'transcript' });
});

test('whatever the id, what is written can be read', () => {
  const part = fc.constantFrom('result' as const, 'transcript' as const, 'diff' as const, undefined);
  const name = fc.string({ minLength: 1, unit: 'grapheme' });
  fc.assert(
    fc.property(name, part, name, (sessionId, its, page) => {
      expect(parseSessionUri(sessionUri(sessionId, its))).toEqual({ sessionId, part: its });
      if (its !== undefined)
        expect(parseSessionUri(sessionUri(sessionId, its, page))).toEqual({ sessionId, part: its, page });
    }),
  );
});
