import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryEngine, SILENT_LISTENER } from '../../../test/contracts/engine-in-memory.ts';
import { AppError } from '../../base/errors.ts';
import { Approvals } from '../approvals/approvals.ts';
import type { Engine } from '../engine.ts';
import { toUnknownApproval } from '../engines/app-server/approvals/action-approvals.ts';
import { interrupt } from './interrupt.ts';
import { Session } from './session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('kills an unresponsive Codex in time, and reports what is known of its commands', async () => {
  const never = () => new Promise<never>(() => {});
  const { session, asked, run } = open({ interrupt: never, stopCommands: never, killIfUnresponsive: async () => true });
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const done = run();
  await vi.advanceTimersByTimeAsync(5_000);

  const notes = [
    'Codex did not respond and was killed: the turn has stopped, and so has every command that Codex had started.',
    'Commands of the session may still be running: Codex did not confirm that they ended within 1.5 s.',
  ];
  expect(await done).toEqual({ session, wasRunning: true, droppedMessages: 0, notes });
  expect([session.status, asked]).toEqual(['interrupted', []]);
});

test('gives up a turn that never gets an id, without asking Codex', async () => {
  const { session, asked, run } = open();
  session.beginTurn();
  const done = run();
  await vi.advanceTimersByTimeAsync(5_000);

  await done;
  expect([session.status, asked]).toEqual(['interrupted', ['stopCommands s']]);
});

test('a turn that Codex does not end stays active, and the next interrupt kills Codex', async () => {
  const times: number[] = [];
  const { session, run } = open({
    interrupt: () => Promise.reject(new AppError('REQUEST_FAILED', 'no')),
    killIfUnresponsive: async (withinMs) => times.push(withinMs) > 1,
  });
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const done = run();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await done).toMatchObject({ notes: [expect.stringContaining('the turn may still be running')] });
  expect(session.status).toBe('active');

  const again = run();
  await vi.advanceTimersByTimeAsync(5_000);
  expect(await again).toMatchObject({ notes: [expect.stringMatching(/^Codex did not respond and was killed/)] });
  expect([session.status, times]).toEqual(['interrupted', [2_500, 0]]);
});

test('marks a command without a reported end as failed when the commands are ended', async () => {
  const { session, run } = open();
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const item = { id: 'c', type: 'command_execution', status: 'started', summary: 'sleep 9' } as const;
  session.apply({ kind: 'item', turnId: '1', item });
  await run();
  expect(session.turn?.items()).toEqual([{ ...item, status: 'failed' }]);
});

test('cancels approvals after the turn ends, so that it cannot continue', async () => {
  const { session, asked, ask, run } = open();
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  ask();
  ask();

  await run();
  expect(asked).toEqual(['interrupt 1', 'stopCommands s', '{"decision":"cancel"}', '{"decision":"cancel"}']);
  expect(session.pendingApprovals).toEqual([]);
});

test('reports a failure to stop commands as a warning', async () => {
  const { session, warnings, run } = open({
    stopCommands: () => Promise.reject(new AppError('REQUEST_FAILED', 'cannot')),
  });
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });

  expect(await run()).toMatchObject({
    wasRunning: true,
    notes: ['Commands of the session may still be running: cannot.'],
  });
  expect(warnings).toEqual(['cannot']);
});

test('ends a starting turn as soon as it begins', async () => {
  const { session, asked, run } = open();
  session.beginTurn();
  const done = run();
  await vi.advanceTimersByTimeAsync(100);
  expect(asked).toEqual([]);
  session.apply({ kind: 'turn-started', turnId: '7' });

  await done;
  expect(asked).toEqual(['interrupt 7', 'stopCommands s']);
  expect(session.status).toBe('interrupted');
});

test('drops queued messages, and ends only the commands of a session without a turn', async () => {
  const { session, asked, run } = open();
  session.queue.push({ input: { text: 'later', images: [] }, turn: {}, caller: { prompter: undefined } });

  expect(await run()).toEqual({ session, wasRunning: false, droppedMessages: 1, notes: [] });
  expect([session.queue, session.status, asked]).toEqual([[], 'done', ['stopCommands s']]);
});

test('keeps the result of a turn that ends by itself meanwhile', async () => {
  const { session, run } = open({ interrupt: () => new Promise(() => {}) });
  session.beginTurn();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const done = run();
  session.apply({ kind: 'turn-ended', turnId: '1', end: { status: 'completed', lastMessage: 'Done.' } });

  await done;
  expect(session.status).toBe('done');
});

function open(over: Partial<Engine> = {}) {
  const session = new Session({ sessionId: 's', cwd: '/project' }, {}, { maxEvents: 10, runId: 'ab' });
  const engine = createMemoryEngine({ ...SILENT_LISTENER, event: (_, event) => session.apply(event) }, { over });
  const { asked } = engine;
  const warnings: string[] = [];
  const approvals = new Approvals({
    deciders: 'any',
    allowsPermanent: false,
    timeoutMs: 60_000,
    sendToModel: () => expect.unreachable(),
    log: { info: () => {}, debug: () => {} },
  });
  const ask = () =>
    void approvals
      .add(session, { request: toUnknownApproval('some/requestApproval', {}), requestId: 1, threadId: 's' })
      .then((response) => asked.push(JSON.stringify(response)));
  const run = () =>
    interrupt(session, { engine, approvals, others: () => [], log: { warn: (text) => warnings.push(text) } });
  return { session, engine, asked, warnings, ask, run };
}
