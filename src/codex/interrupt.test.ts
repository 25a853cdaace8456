import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createMemoryEngine } from '../../test/contracts/engine-in-memory.ts';
import { AppError } from '../base/errors.ts';
import type { Approvals } from './approvals.ts';
import type { Engine } from './engine.ts';
import { interrupt } from './interrupt.ts';
import { Session } from './session.ts';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('a Codex that does not react is given up in time, and its turn counts as interrupted', async () => {
  const never = () => new Promise<never>(() => {});
  const { session, asked, run } = open({ interrupt: never, stopCommands: never });
  session.begin();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const done = run();
  await vi.advanceTimersByTimeAsync(5_000);

  expect(await done).toEqual({ session, wasRunning: true, droppedMessages: 0 });
  expect([session.status, asked]).toEqual(['interrupted', ['cancelAll']]);
});

test('a turn that never gets an id is given up too, and Codex is asked nothing about it', async () => {
  const { session, asked, run } = open();
  session.begin();
  const done = run();
  await vi.advanceTimersByTimeAsync(5_000);

  await done;
  expect([session.status, asked]).toEqual(['interrupted', ['cancelAll', 'stopCommands s']]);
});

test('a failure to stop commands is a warning, and no failure', async () => {
  const { session, warnings, run } = open({
    stopCommands: () => Promise.reject(new AppError('REQUEST_FAILED', 'cannot')),
  });
  session.begin();
  session.apply({ kind: 'turn-started', turnId: '1' });

  expect(await run()).toMatchObject({ wasRunning: true });
  expect(warnings).toEqual(['cannot']);
});

test('a turn that is just starting is ended as soon as it has begun', async () => {
  const { session, asked, run } = open();
  session.begin();
  const done = run();
  await vi.advanceTimersByTimeAsync(100);
  expect(asked).toEqual([]);
  session.apply({ kind: 'turn-started', turnId: '7' });

  await done;
  expect(asked).toEqual(['interrupt 7', 'cancelAll', 'stopCommands s']);
  expect(session.status).toBe('interrupted');
});

test('what waits to be said is dropped, and a session without a turn only has its commands ended', async () => {
  const { session, asked, run } = open();
  session.queue.push({ input: { text: 'later', images: [] }, turn: {} });

  expect(await run()).toEqual({ session, wasRunning: false, droppedMessages: 1 });
  expect([session.queue, session.status, asked]).toEqual([[], 'done', ['cancelAll', 'stopCommands s']]);
});

test('a turn that ends by itself meanwhile keeps its own end', async () => {
  const { session, run } = open({ interrupt: () => new Promise(() => {}) });
  session.begin();
  session.apply({ kind: 'turn-started', turnId: '1' });
  const done = run();
  session.apply({ kind: 'turn-ended', turnId: '1', end: { status: 'completed', lastMessage: 'Done.' } });

  await done;
  expect(session.status).toBe('done');
});

function open(over: Partial<Engine> = {}) {
  const session = new Session({ sessionId: 's', cwd: '/work' }, {}, { maxEvents: 10, run: 'ab' });
  const engine = createMemoryEngine(
    { event: (_, event) => session.apply(event), question: () => {}, fell: () => {} },
    { over },
  );
  const asked = engine.asked as string[];
  const warnings: string[] = [];
  const approvals: Approvals = {
    add: () => expect.unreachable(),
    answer: () => expect.unreachable(),
    cancelAll: () => void asked.push('cancelAll'),
  };
  const run = () => interrupt(session, { engine, approvals, log: { warn: (text) => warnings.push(text) } });
  return { session, engine, asked, warnings, run };
}
