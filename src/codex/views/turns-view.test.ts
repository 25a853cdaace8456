import fc from 'fast-check';
import { expect, test } from 'vitest';
import { propertyRuns } from '../../../test/property-runs.ts';
import type { StoredTurn } from '../storage/stored-session.ts';
import { toTurnViews } from './turns-view.ts';

const turn = (turnId: string, texts: readonly string[]): StoredTurn => ({
  turnId,
  status: 'completed',
  entries: texts.map((text) => ({ role: 'codex', type: 'agent_message', text, files: [] })),
});

test('returns no views without turns', () => {
  expect(toTurnViews([])).toEqual({ views: [], isCut: false });
});

test('reports why a turn failed, within the limit', () => {
  const failure = { kind: 'network', message: 'x'.repeat(10_000) } as const;
  expect(toTurnViews([{ turnId: '1', status: 'failed', failure, entries: [] }])).toEqual({
    views: [
      {
        turnId: '1',
        status: 'failed',
        entries: [],
        error: { kind: 'network', message: `${'x'.repeat(4_000)}… [6000 more characters]` },
      },
    ],
    isCut: false,
  });
});

test('returns turns that fit unchanged, oldest first', () => {
  const entry = (text: string) => ({ role: 'codex', type: 'agent_message', text });
  expect(toTurnViews([turn('1', ['a', 'b']), turn('2', ['c'])])).toEqual({
    views: [
      { turnId: '1', status: 'completed', entries: [entry('a'), entry('b')] },
      { turnId: '2', status: 'completed', entries: [entry('c')] },
    ],
    isCut: false,
  });
});

test('truncates a long text, and drops the first entries of a long turn', () => {
  const long = toTurnViews([turn('1', ['x'.repeat(5_000)])]);
  expect(long).toMatchObject({
    isCut: true,
    views: [{ entries: [{ text: `${'x'.repeat(4_000)}… [1000 more characters]` }] }],
  });
  const many = toTurnViews([
    turn(
      '1',
      Array.from({ length: 101 }, (_, index) => `${index}`),
    ),
  ]);
  expect(many.isCut).toBe(true);
  expect(many.views[0]?.entries.map(({ text }) => text)).toEqual(
    Array.from({ length: 100 }, (_, index) => `${index + 1}`),
  );
});

test('returns the newest of too many turns, untruncated', () => {
  const turns = Array.from({ length: 50 }, (_, index) => turn(`${index}`, ['x'.repeat(3_900)]));
  const { views, isCut } = toTurnViews(turns);

  expect(isCut).toBe(false);
  expect(views.map(({ turnId }) => turnId)).toEqual(turns.slice(-views.length).map(({ turnId }) => turnId));
  expect(views.length).toBeGreaterThan(15);
});

test('returns at least one turn, and never exceeds the limit', () => {
  const text = fc.record({ one: fc.constantFrom('a', '"', '\u0001'), times: fc.nat(9_000) });
  const texts = fc.array(text, { maxLength: 40 });
  fc.assert(
    fc.property(fc.array(texts, { minLength: 1, maxLength: 8 }), (all) => {
      const turns = all.map((each, index) =>
        turn(
          `${index}`,
          each.map(({ one, times }) => one.repeat(times)),
        ),
      );
      const { views } = toTurnViews(turns);

      expect(views.length).toBeGreaterThan(0);
      expect(JSON.stringify(views).length).toBeLessThan(78_000);
    }),
    propertyRuns(40),
  );
});
