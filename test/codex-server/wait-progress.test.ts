import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Session } from '../../src/codex/sessions/session.ts';
import { waitForSessions } from '../../src/codex/sessions/wait-for-sessions.ts';
import { trackProcesses } from '../processes.ts';
import { startArguments } from './stop-phases.ts';
import { openTestbed } from './testbed.ts';

const processes = trackProcesses();

describe('progress notifications', () => {
  beforeEach(() => {
    vi.useFakeTimers();
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  /** Waits for a running session, and records when the client received something. */
  function wait(maxWaitMs: number) {
    const session = new Session({ sessionId: 'a', cwd: '/' }, {}, { maxEvents: 10, runId: '0' });
    session.beginTurn();
    const begunAt = performance.now();
    const heardAt: number[] = [];
    const client = { canBeAsked: true, reach: 'always', left: new AbortController().signal, info: {} };
    const waiting = waitForSessions({
      sessions: [session],
      isOver: () => !session.isRunning,
      seconds: Number.MAX_SAFE_INTEGER,
      // Only these parts of the context and the workplace are used.
      context: {
        signal: new AbortController().signal,
        progress: () => heardAt.push(performance.now() - begunAt),
        client,
      } as unknown as Parameters<typeof waitForSessions>[0]['context'],
      serverContext: { maxWaitMs: () => maxWaitMs } as unknown as Parameters<
        typeof waitForSessions
      >[0]['serverContext'],
    });
    return { session, heardAt, waiting };
  }

  test('start at once and repeat at least every ten seconds, and the wait ends on time', async () => {
    const { heardAt, waiting } = wait(50_000);
    await vi.advanceTimersByTimeAsync(49_999);
    expect(heardAt[0]).toBe(0);
    const pauses = heardAt.map((at, index) => at - (heardAt[index - 1] ?? 0));
    expect(Math.max(...pauses, 50_000 - (heardAt.at(-1) ?? 0))).toBeLessThanOrEqual(10_000);
    await vi.advanceTimersByTimeAsync(1);
    await waiting;
    const { length } = heardAt;
    await vi.advanceTimersByTimeAsync(60_000);
    expect(heardAt).toHaveLength(length);
  });

  test('are sent at most once a second, with the latest state', async () => {
    const { session, heardAt, waiting } = wait(50_000);
    for (let count = 0; count < 500; count++) {
      session.notifyChanged();
      await vi.advanceTimersByTimeAsync(10);
    }
    await vi.advanceTimersByTimeAsync(1_000);
    expect(heardAt.length).toBeGreaterThanOrEqual(5);
    expect(heardAt.length).toBeLessThanOrEqual(7);
    session.endTurn({ status: 'interrupted' });
    await waiting;
  });
});

describe('without --max-wait', () => {
  const hurries = pathToFileURL(join(import.meta.dirname, 'fixtures', 'speeds-up-long-timers.mjs')).href;

  test('a call returns before the usual 60 s client timeout, and later for Codex, which waits five minutes', async () => {
    await using testbed = await openTestbed(processes);
    const env = { NODE_OPTIONS: `--import ${hurries}` };
    const usual = await testbed.serve({ env });
    const codex = await testbed.serve({ env, clientInfo: { name: 'codex-mcp-client', version: '0.166.0' } });
    const args = { ...startArguments([{ hang: true }]), waitSeconds: 10_000 };
    // In sequence: two Codex processes that create the same home concurrently may fail.
    for (const client of [usual, codex]) await client.call('codex_list');
    const patient = codex.begin('tools/call', { name: 'codex_start', arguments: args });
    let isAnswered = false;
    void patient.answer.then(() => {
      isAnswered = true;
    });

    expect(await usual.call('codex_start', args)).toMatchObject({ status: 'active' });
    expect(isAnswered).toBe(false);
    expect(await patient.answer).toMatchObject({ result: { structuredContent: { status: 'active' } } });
  });
});
