import fc from 'fast-check';
import { expect, test } from 'vitest';
import { verifies } from '../../../test/verifies.ts';
import type { EngineEvent, TurnEnd } from '../engine.ts';
import type { Item } from '../item-types.ts';
import { Session } from './session.ts';

const DONE: TurnEnd = { status: 'completed', lastMessage: 'Done.' };
const INTERRUPTED: TurnEnd = { status: 'interrupted' };
const ITEM: Item = { id: 'i', type: 'command_execution', status: 'completed', summary: 'ls' };

test('a turn that fails to start leaves the session unchanged', () => {
  const session = createSession();
  session.revertTurn();
  expect([session.turnCount, session.turn, session.status]).toEqual([0, undefined, 'done']);
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply({ kind: 'turn-ended', turnId: '1', end: INTERRUPTED });
  const before = session.turn;
  session.beginTurn();
  session.revertTurn();

  expect([session.turnCount, session.turn, session.status]).toEqual([1, before, 'interrupted']);
});

verifies('codex:session:turn-failed', 'a failed turn leaves the session in error, with the reason', () => {
  const session = createSession();
  const failure = { kind: 'auth', message: 'no', httpStatus: 401 } as const;
  session.apply({ kind: 'turn-started', turnId: '1' });
  expect(session.failure).toBeUndefined();
  session.apply({ kind: 'turn-ended', turnId: '1', end: { status: 'failed', failure } });

  expect([session.status, session.failure, session.isRunning]).toEqual(['error', failure, false]);
});

test('uses the first end of a turn, and ignores the end of an unknown turn', () => {
  const session = createSession();
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply({ kind: 'turn-ended', turnId: 'unknown', end: DONE });
  expect(session.status).toBe('active');
  session.apply({ kind: 'turn-ended', turnId: '1', end: INTERRUPTED });
  session.apply({ kind: 'turn-ended', turnId: '1', end: DONE });
  session.endTurn(DONE);

  expect([session.status, session.turn?.end]).toEqual(['interrupted', INTERRUPTED]);
});

test('the late end of an abandoned turn does not end the next one', () => {
  const session = createSession();
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.endTurn(INTERRUPTED);
  session.beginTurn();
  session.apply({ kind: 'turn-ended', turnId: '1', end: INTERRUPTED });

  expect([session.status, session.turnCount]).toEqual(['active', 2]);
});

test('accepts the end of a turn before its start, and the late start begins no other turn', () => {
  const session = createSession();
  session.beginTurn();
  session.apply({ kind: 'turn-ended', turnId: '1', end: DONE });
  session.apply({ kind: 'turn-started', turnId: '1' });
  expect([session.status, session.turnCount]).toEqual(['done', 1]);
  const known = createSession();
  known.apply({ kind: 'turn-started', turnId: '1' });
  known.apply({ kind: 'turn-ended', turnId: '1', end: DONE });
  known.apply({ kind: 'turn-started', turnId: '1' });

  expect([known.status, known.turnCount, known.turn?.lastMessage]).toEqual(['done', 1, 'Done.']);
});

test('a reopened session may reuse turn ids', () => {
  const session = createSession();
  session.apply({ kind: 'turn-started', turnId: '0' });
  session.apply({ kind: 'turn-ended', turnId: '0', end: DONE });
  const opened = { sessionId: 's', cwd: '/elsewhere', model: 'm' };
  session.apply({ kind: 'opened', session: opened });
  session.apply({ kind: 'turn-started', turnId: '0' });

  expect([session.status, session.turnCount, session.opened]).toEqual(['active', 2, opened]);
});

test('reports a late item of an earlier turn as an event, not as an item of the next turn', () => {
  const session = createSession();
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply({ kind: 'turn-ended', turnId: '1', end: INTERRUPTED });
  session.beginTurn();
  session.apply({ kind: 'item', turnId: '1', item: ITEM });

  expect(session.turn?.items()).toEqual([]);
  expect(session.events.since(undefined).events).toEqual([{ sequence: 1, turnId: '1', item: ITEM }]);
});

test('a late diff or plan of an earlier turn does not change the next turn', () => {
  const session = createSession();
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply({ kind: 'turn-ended', turnId: '1', end: INTERRUPTED });
  session.beginTurn();
  session.apply({ kind: 'diff', turnId: '1', diff: '+late' });
  session.apply({ kind: 'plan', turnId: '1', plan: [{ step: 'Late.', status: 'pending' }] });

  expect(session.turn).toMatchObject({ number: 2, diff: '', plan: [] });
});

test('a command of an earlier turn counts as running until it or all commands are reported as ended', () => {
  const session = createSession();
  const started = (turnId: string): EngineEvent => ({ kind: 'item', turnId, item: { ...ITEM, status: 'started' } });
  for (const turnId of ['1', '2']) {
    session.apply({ kind: 'turn-started', turnId });
    session.apply(started(turnId));
    session.apply({ kind: 'turn-ended', turnId, end: DONE });
  }
  expect(session.leftoverCommands()).toMatchObject([{ id: 'i', status: 'started' }]);
  // The command of the second turn has the same id.
  session.apply({ kind: 'item', turnId: '2', item: ITEM });
  expect([session.leftoverCommands().length, session.hasRunningCommands]).toEqual([1, true]);
  const cursor = session.events.cursor();
  session.markCommandsEnded();

  expect(session.events.since(cursor).events).toMatchObject([{ turnId: '1', item: { id: 'i', status: 'failed' } }]);
  expect([session.leftoverCommands(), session.hasRunningCommands]).toEqual([[], false]);
});

test('stores usage, context window, plan, diff and retries in the session or the turn', () => {
  const session = createSession();
  const total = { inputTokens: 9, cachedInputTokens: 1, outputTokens: 2, reasoningOutputTokens: 0 };
  const own = { ...total, inputTokens: 4 };
  const plan = [{ step: 'Look.', status: 'pending' as const }];
  session.apply({ kind: 'diff', turnId: '1', diff: 'nobody asked' });
  session.apply({ kind: 'turn-started', turnId: '1' });
  session.apply({ kind: 'usage', total, turn: own, contextWindow: 1000 });
  session.apply({ kind: 'usage', total, turn: undefined, contextWindow: undefined });
  session.apply({ kind: 'plan', turnId: '1', plan });
  session.apply({ kind: 'diff', turnId: '1', diff: '+a' });
  session.apply({ kind: 'retrying', message: 'again' });

  expect(session).toMatchObject({ usage: total, contextWindow: 1000 });
  expect(session.turn).toMatchObject({ usage: own, plan, diff: '+a', retrying: 'again' });
  session.endTurn(DONE);
  expect(session.turn).toMatchObject({ retrying: undefined, endedAt: expect.any(Number) });
});

test('keeps each warning once, and only the latest ones', () => {
  const session = createSession();
  for (const count of [1, 1, ...Array.from({ length: 21 }, (_, index) => index + 2)])
    session.apply({ kind: 'warning', message: `w${count}` });

  expect(session.warnings).toEqual(Array.from({ length: 20 }, (_, index) => `w${index + 3}`));
});

test('notifies listeners of every change until they unsubscribe', () => {
  const session = createSession();
  const received: string[] = [];
  const stop = session.onChange(() => received.push(session.status));
  session.beginTurn();
  session.endTurn(INTERRUPTED);
  stop();
  session.beginTurn();

  expect(received).toEqual(['active', 'interrupted']);
});

verifies(
  'codex:status:words',
  'after any events in any order, the status is one of five, and an ended turn stays ended',
  () => {
    const turnId = fc.constantFrom('1', '2', '3');
    const end = fc.constantFrom<TurnEnd>(DONE, INTERRUPTED, {
      status: 'failed',
      failure: { kind: 'other', message: 'no' },
    });
    const event = fc.oneof(
      fc.record({ kind: fc.constant('turn-started' as const), turnId }),
      fc.record({ kind: fc.constant('turn-ended' as const), turnId, end }),
      fc.record({ kind: fc.constant('item' as const), turnId, item: fc.constant(ITEM) }),
      fc.record({ kind: fc.constant('retrying' as const), message: fc.string() }),
    ) satisfies fc.Arbitrary<EngineEvent>;
    fc.assert(
      fc.property(fc.array(fc.oneof(event, fc.constant('say' as const)), { maxLength: 40 }), (doings) => {
        const session = createSession();
        const begun = new Set<unknown>();
        const ends = new Map<unknown, TurnEnd>();
        const endedIds = new Set<string>();
        for (const doing of doings) {
          const wasRunning = session.isRunning;
          if (doing !== 'say') session.apply(doing);
          else if (!wasRunning) session.beginTurn();
          const { turn } = session;
          if (turn !== undefined) begun.add(turn);
          if (doing !== 'say' && doing.kind === 'turn-started' && endedIds.has(doing.turnId))
            expect(session.isRunning).toBe(wasRunning);
          if (turn?.end !== undefined) {
            expect(ends.get(turn) ?? turn.end).toBe(turn.end);
            ends.set(turn, turn.end);
            for (const id of turn.ids()) endedIds.add(id);
          }
          expect(['active', 'awaiting_approval', 'done', 'error', 'interrupted']).toContain(session.status);
          expect(session.isRunning).toBe(turn !== undefined && turn.end === undefined);
          expect(session.turnCount).toBe(begun.size);
        }
      }),
    );
  },
);

function createSession(): Session {
  return new Session({ sessionId: 's', cwd: '/project' }, {}, { maxEvents: 50, runId: 'ab' });
}
