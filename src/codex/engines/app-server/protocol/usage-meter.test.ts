import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createUsageMeter } from './usage-meter.ts';

test('counts invalid numbers as zero', () => {
  const meter = createUsageMeter();
  const none = { inputTokens: 0, cachedInputTokens: 0, outputTokens: 0, reasoningOutputTokens: 0 };
  expect(meter.read({ threadId: 's' })).toEqual([]);

  expect(meter.read({ threadId: 's', tokenUsage: { total: { inputTokens: '5' }, modelContextWindow: null } })).toEqual([
    { kind: 'usage', total: none, turn: undefined, contextWindow: undefined },
  ]);
});

test('the first report of an unknown session counts the last response for its turn', () => {
  const meter = createUsageMeter();
  meter.turnStarted('s');

  expect(meter.read(report('s', 100, 30))).toMatchObject([{ total: { inputTokens: 100 }, turn: { inputTokens: 30 } }]);
});

test('each turn of concurrent sessions uses the sum of its own responses', () => {
  const doing = fc.record({
    session: fc.constantFrom('a', 'b'),
    what: fc.oneof(fc.constant('turn'), fc.integer({ min: 1, max: 99 })),
  });
  fc.assert(
    fc.property(fc.array(doing, { maxLength: 40 }), (doings) => {
      const meter = createUsageMeter();
      const totals = new Map<string, number>();
      const turns = new Map<string, number>();
      for (const { session, what } of doings) {
        if (typeof what === 'string') {
          meter.turnEnded(session);
          meter.turnStarted(session);
          turns.set(session, 0);
        } else if (turns.has(session)) {
          totals.set(session, (totals.get(session) ?? 0) + what);
          turns.set(session, (turns.get(session) ?? 0) + what);
          expect(meter.read(report(session, totals.get(session) ?? 0, what))).toMatchObject([
            { total: { inputTokens: totals.get(session) }, turn: { inputTokens: turns.get(session) } },
          ]);
        }
      }
    }),
  );
});

function report(threadId: string, total: number, last: number) {
  return { threadId, tokenUsage: { total: { inputTokens: total }, last: { inputTokens: last } } };
}
