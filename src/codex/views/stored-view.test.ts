import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import type { StoredTurn } from '../storage/stored-session.ts';
import { toStoredView } from './stored-view.ts';

const INFO = { sessionId: 's', timestamp: '2026-01-01T00:00:00.000Z' };
const NOTHING = { sessionId: 's', status: 'done', isStored: true, recentOutput: [], itemEvents: [] };
const messageEntries = (...texts: string[]): StoredTurn['entries'] => [
  { role: 'user', type: 'user_message', text: 'Do it.' },
  ...texts.map((text) => ({ role: 'codex', type: 'agent_message', text }) as const),
];

test('a session without turns has no result', () => {
  expect(toStoredView({ ...INFO, turns: [] }, 50)).toEqual(NOTHING);
});

test('a failed turn has the reason and a hint, and no result', () => {
  const failure = { kind: 'auth', message: 'x'.repeat(5_000), httpStatus: 401 } as const;
  const turns: StoredTurn[] = [{ turnId: '1', status: 'failed', failure, entries: messageEntries('Half.') }];

  expect(toStoredView({ ...INFO, turns }, 50)).toEqual({
    ...NOTHING,
    status: 'error',
    error: {
      kind: 'auth',
      message: `${'x'.repeat(4_000)}… [1000 more characters]`,
      httpStatus: 401,
      hint: expect.stringContaining('codex login'),
    },
    recentOutput: ['Half.'],
  });
});

test('uses only the last turn, and its last message as the result', () => {
  const turns: StoredTurn[] = [
    { turnId: '1', status: 'failed', entries: messageEntries('old') },
    { turnId: '2', status: 'completed', entries: messageEntries('one', 'two', 'three') },
  ];

  expect(toStoredView({ ...INFO, turns, directory: '/w' }, 2)).toEqual({
    ...NOTHING,
    result: 'three',
    recentOutput: ['one', 'two'],
    workingDirectory: '/w',
  });
});

test('reports an interrupted turn, and one that another Codex runs as active', () => {
  const turn = { turnId: '1', entries: messageEntries('begun') };
  const view = { ...NOTHING, recentOutput: ['begun'] };

  expect(toStoredView({ ...INFO, turns: [{ ...turn, status: 'interrupted' }] }, 50)).toEqual({
    ...view,
    status: 'interrupted',
  });
  expect(toStoredView({ ...INFO, turns: [{ ...turn, status: 'running' }], isHeld: true }, 50)).toEqual({
    ...view,
    status: 'active',
    heldElsewhere: true,
  });
});

test('reports truncation', () => {
  const turns: StoredTurn[] = [
    { turnId: '1', status: 'completed', entries: messageEntries('short', 'x'.repeat(30_000)) },
  ];

  expect(toStoredView({ ...INFO, turns }, 50)).toEqual({
    ...NOTHING,
    result: 'x'.repeat(24_000),
    resultCursor: expect.stringMatching(/^[0-9a-f]{8}-24000$/),
    recentOutput: ['short'],
    truncated: true,
  });
});

test('never exceeds the limit of a status', () => {
  const text = fc.record({ one: fc.constantFrom('a', '字', '"', '\n', '\u0001'), times: fc.nat(40_000) });
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.constantFrom('completed', 'failed'), (texts, status) => {
      const [first = { one: '', times: 0 }] = texts;
      const failure = { kind: 'other', message: first.one.repeat(first.times) } as const;
      const entries = messageEntries(...texts.map(({ one, times }) => one.repeat(times)));
      const view = toStoredView({ ...INFO, turns: [{ turnId: '1', status, failure, entries }] }, 1000);

      expect(JSON.stringify(view).length).toBeLessThan(80_000);
    }),
    propertyRuns(60),
  );
});
