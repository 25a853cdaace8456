import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseSessionUri, SESSIONS_URI, sessionUri } from './session-uris.ts';

test.each([
  ['the list of all sessions', SESSIONS_URI],
  ['an empty session id', `${SESSIONS_URI}/`],
  ['an unknown part', `${SESSIONS_URI}/a/history`],
  ['text after the part', `${SESSIONS_URI}/a/diff/x`],
  ['an unknown query', `${SESSIONS_URI}/a/diff?x=1`],
  ['an empty page', `${SESSIONS_URI}/a/diff?page=`],
  ['a query', `${SESSIONS_URI}/a?x=1`],
  ['a fragment', `${SESSIONS_URI}/a#x`],
  ['an invalid percent escape', `${SESSIONS_URI}/%zz`],
  ['another scheme', 'file://sessions/a'],
])('is not a session URI: %s', (_, uri) => {
  expect(parseSessionUri(uri)).toBeUndefined();
});

test('parses the URI of a session and of its parts', () => {
  expect(sessionUri('a', 'diff')).toBe('codex://sessions/a/diff');
  expect(parseSessionUri('codex://sessions/a')).toEqual({ sessionId: 'a', part: undefined });
  expect(parseSessionUri('codex://sessions/a%2Fb/transcript')).toEqual({ sessionId: 'a/b', part: 'transcript' });
});

test('round-trips any session id', () => {
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
