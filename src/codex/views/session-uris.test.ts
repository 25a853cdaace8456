import { expect, test } from 'vitest';
import { sessionUri } from './session-uris.ts';

test.each([
  ['a session', sessionUri('a'), 'codex://sessions/a'],
  ['a part', sessionUri('a', 'diff'), 'codex://sessions/a/diff'],
  ['a page', sessionUri('a', 'diff', '2 3'), 'codex://sessions/a/diff?page=2%203'],
  ['an id with a slash', sessionUri('a/b', 'transcript'), 'codex://sessions/a%2Fb/transcript'],
  ['an id with a lone surrogate', sessionUri('\ud800'), 'codex://sessions/%EF%BF%BD'],
])('is the URI of %s', (_, uri, expected) => {
  expect(uri).toBe(expected);
});
