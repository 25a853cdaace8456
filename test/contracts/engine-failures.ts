import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import type { EngineTests } from './engine.ts';
import type { EngineTestbed } from './engine-testbed.ts';

const { signal: NEVER } = new AbortController();

/** Failures, interrupts and closing. */
export function testFailures({ openTestbed, shell, alive, lacks }: EngineTests): void {
  test.each([
    ['that never existed', randomUUID()],
    ['with a malformed id', 'no id of anything'],
  ])('a session %s is not found', async (_, sessionId) => {
    await using testbed = await openTestbed();
    const unknown = { code: 'SESSION_NOT_FOUND', data: { sessionId } };

    await expect(testbed.say(sessionId, [{ message: 'never' }])).rejects.toMatchObject(unknown);
    await expect(testbed.engine.read({ sessionId, limit: 1 })).rejects.toMatchObject(unknown);
    await expect(testbed.engine.fork({ sessionId, settings: {} })).rejects.toMatchObject(unknown);
    expect(testbed.reported).toEqual([]);
    expect(testbed.model.requests).toEqual([]);
  });

  test('an error from the model fails the turn with its kind, and the session can continue', async () => {
    await using testbed = await openTestbed();
    const turn = await testbed.start([{ error: 401 }]);

    expect(await testbed.endOf(turn)).toEqual({
      status: 'failed',
      failure: { kind: 'auth', httpStatus: 401, message: expect.stringMatching(/^unexpected status 401 Unauthorized/) },
    });
    const next = await testbed.say(turn.sessionId, [{ message: 'Again.' }]);
    expect(await testbed.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Again.' });
    expect(endsIn(testbed)).toHaveLength(2);
  });

  test('an interrupt ends the turn, and stops the commands of the session if requested', async () => {
    await using testbed = await openTestbed();
    const { engine } = testbed;
    const steps = [shell('sleep 611 & sleep 612'), { message: 'never' }];
    const turn = await testbed.start(steps, { sandbox: 'danger-full-access' });
    await vi.waitFor(() => expect(alive(SLEEPER).length).toBe(2), { timeout: 30_000, interval: 20 });
    await engine.interrupt(turn, NEVER);

    expect(await testbed.endOf(turn)).toEqual({ status: 'interrupted' });
    await engine.stopCommands(turn.sessionId);
    await vi.waitFor(() => expect(alive(SLEEPER)).toEqual([]), { timeout: 30_000, interval: 20 });
    const next = await testbed.say(turn.sessionId, [{ message: 'Yes?' }]);
    expect(await testbed.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Yes?' });
    expect(endsIn(testbed)).toHaveLength(2);
  });

  test('an interrupt right after the start ends the turn', async () => {
    await using testbed = await openTestbed();
    const turn = await testbed.start([{ hang: true }]);
    await testbed.engine.interrupt(turn, NEVER);

    expect(await testbed.endOf(turn)).toEqual({ status: 'interrupted' });
  });

  test('interrupting a finished turn returns when its signal aborts', async () => {
    await using testbed = await openTestbed();
    const turn = await testbed.run([{ message: 'Over.' }]);
    const late = delay(2_000, 'late', { ref: false });

    expect(await Promise.race([testbed.engine.interrupt(turn, AbortSignal.timeout(50)), late])).toBeUndefined();
    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Over.' });
    expect(endsIn(testbed)).toHaveLength(1);
  });

  test('close ends running turns, may be called twice, and rejects later starts', async () => {
    await using testbed = await openTestbed();
    const { engine } = testbed;
    const { sessionId } = await testbed.start([shell('sleep 613'), { message: 'never' }], {
      sandbox: 'danger-full-access',
    });
    await vi.waitFor(() => expect(alive(/^sleep 613/)).toHaveLength(1), { timeout: 30_000, interval: 20 });
    await Promise.all([engine.close(), engine.close()]);
    await engine.close();

    const refused = { code: expect.stringMatching(/^(CANCELLED|CONNECTION_CLOSED)$/) };
    expect(alive(/^sleep 613/)).toEqual([]);
    await expect(testbed.start([{ message: 'never' }])).rejects.toMatchObject(refused);
    await expect(testbed.say(sessionId, [{ message: 'never' }])).rejects.toMatchObject(refused);
  });

  test('a start that is cancelled before it begins never calls the model', async () => {
    await using testbed = await openTestbed();
    const signal = AbortSignal.abort(new Error('given up'));
    const request = {
      settings: {},
      turn: {},
      input: { text: 'hi', images: [] },
      onTurnReady: () => expect.unreachable(),
    };

    await expect(testbed.engine.start({ ...request, signal })).rejects.toThrow();
    expect(testbed.model.requests).toEqual([]);
    expect(testbed.reported).toEqual([]);
  });

  test.runIf(!lacks.includes('open'))('a session that is cancelled while it is opened is not returned', async () => {
    await using testbed = await openTestbed();
    const signal = AbortSignal.abort(new Error('given up'));
    await expect(testbed.engine.open({}, { signal })).rejects.toThrow('given up');
    const cancelling = new AbortController();
    const beforeTurn = () => cancelling.abort(new Error('given up later'));

    await expect(testbed.engine.open({}, { beforeTurn, signal: cancelling.signal })).rejects.toThrow('given up later');
  });

  test.runIf(lacks.includes('steer'))('steering a running turn is refused, and the turn continues', async () => {
    await using testbed = await openTestbed();
    const turn = await testbed.start([shell('sleep 1'), { message: 'Done.' }], { sandbox: 'danger-full-access' });

    await expect(testbed.engine.steer(turn, { text: 'More.', images: [] })).rejects.toMatchObject({
      code: 'REQUEST_FAILED',
      message: expect.stringMatching(/^(Codex 0\.\d+\.\d+|The exec engine) cannot add a message to a running turn: /),
    });
    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Done.' });
  });
}

const SLEEPER = /^sleep 61[12]/;

function endsIn({ reported }: EngineTestbed) {
  return reported.flatMap(({ event }) => (event.kind === 'turn-ended' ? [event.end] : []));
}
