import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createProcessTracker } from '../processes.ts';
import { startArguments } from './stop-phases.ts';
import { type CodexClient, eventually, openTestbed, type Testbed } from './testbed.ts';

const processes = createProcessTracker();
let testbed: Testbed;
/** A server that may wait for at most two seconds. */
let shortTimeout: CodexClient;
let client: CodexClient;

beforeAll(async () => {
  testbed = await openTestbed(processes);
  shortTimeout = await testbed.serve({ args: ['--max-wait', '2'] });
  client = await testbed.serve();
  // In sequence: two Codex processes that create the same home concurrently may fail.
  for (const each of [shortTimeout, client]) await each.call('codex_list');
});

afterAll(async () => {
  await testbed[Symbol.asyncDispose]();
  await processes.assertAllGone({ withinMs: 20_000 });
});

const HANGS = startArguments([{ hang: true }]);

describe('--max-wait', () => {
  test.each([
    ['codex_start', (_sessionId: string) => ({ ...HANGS, waitSeconds: 1000 })],
    ['codex_wait', (sessionId: string) => ({ sessionIds: [sessionId] })],
    ['codex_status', (sessionId: string) => ({ sessionId, waitSeconds: 1000 })],
  ] as const)('ends a waiting %s while the turn continues', async (tool, args) => {
    const sessionId = String((await shortTimeout.call('codex_start', HANGS))['sessionId']);
    await eventually(async () => (await shortTimeout.call('codex_status', { sessionId }))['status'] === 'active');
    const begunAt = performance.now();

    const answer = await shortTimeout.call(tool, args(sessionId));

    const tookMs = performance.now() - begunAt;
    expect(tookMs).toBeGreaterThan(tool === 'codex_status' ? 0 : 1_900);
    const reported = tool === 'codex_wait' ? (answer['sessions'] as readonly unknown[])[0] : answer;
    expect(reported).toMatchObject({ status: 'active' });
    const own = (reported as { sessionId: string }).sessionId;
    expect(await shortTimeout.call('codex_interrupt', { sessionId: own })).toMatchObject({ status: 'interrupted' });
    if (own !== sessionId) await shortTimeout.call('codex_interrupt', { sessionId });
  });

  test('keeps a shorter wait, and a wait for a finished session returns at once', async () => {
    const { sessionId } = await shortTimeout.call('codex_start', HANGS);
    const timeoutSeconds = 0.2;
    expect(await shortTimeout.call('codex_wait', { sessionIds: [sessionId ?? null], timeoutSeconds })).toMatchObject({
      isOver: false,
    });
    await shortTimeout.call('codex_interrupt', { sessionId: sessionId ?? null });
    expect(await shortTimeout.call('codex_wait', { sessionIds: [sessionId ?? null] })).toMatchObject({ isOver: true });
  });
});

describe('progress', () => {
  test('starts at once, increases, and describes the running item in at most 200 characters', async () => {
    const name = 'long '.repeat(100);
    const started = client.begin('tools/call', {
      name: 'codex_start',
      arguments: { ...startArguments([{ shell: `sleep 4 # ${name}` }, { message: 'slept' }]), waitSeconds: 50 },
      _meta: { progressToken: 'mine' },
    });
    await started.answer;
    const reported = client.notifications
      .filter(({ method, params }) => method === 'notifications/progress' && params['progressToken'] === 'mine')
      .map(({ params }) => params as { progress: number; message: string });
    expect(reported.map(({ progress }) => progress)).toEqual(reported.map((_, index) => index + 1));
    for (const { message } of reported) expect(message.length).toBeLessThanOrEqual(200);
    expect(reported.some(({ message }) => /^running: .*sleep 4 # long .* \(\d+ s\)/.test(message))).toBe(true);
  });

  test('is not sent without a progress token', async () => {
    const before = client.notifications.length;
    const args = { ...startArguments([{ message: 'hi' }]), waitSeconds: 50 };
    await client.begin('tools/call', { name: 'codex_start', arguments: args }).answer;
    const later = client.notifications.slice(before).filter(({ method }) => method === 'notifications/progress');
    expect(later).toEqual([]);
  });
});

describe('cancelling', () => {
  const waits = {
    codex_wait: (sessionId: string) => ({ sessionIds: [sessionId] }),
    codex_status: (sessionId: string) => ({ sessionId, waitSeconds: 100 }),
  };
  for (const [tool, args] of Object.entries(waits))
    test(`${tool} ends only the wait`, async () => {
      const sessionId = String((await client.call('codex_start', HANGS))['sessionId']);
      const call = client.begin('tools/call', { name: tool, arguments: args(sessionId) });
      await client.request('ping');

      client.notify('notifications/cancelled', { requestId: call.id });
      await client.request('ping');

      expect(await client.call('codex_status', { sessionId })).toMatchObject({ status: 'active' });
      expect(await client.call('codex_interrupt', { sessionId })).toMatchObject({ status: 'interrupted' });
    });

  test('codex_say ends the turn only while the call waits', async () => {
    const { sessionId } = await client.call('codex_start', { ...startArguments([{ message: 'hi' }]), waitSeconds: 50 });
    const message = String(HANGS['prompt']);
    const reply = client.begin('tools/call', {
      name: 'codex_say',
      arguments: { sessionId: sessionId ?? null, message },
    });
    await reply.answer;
    client.notify('notifications/cancelled', { requestId: reply.id });
    await client.request('ping');
    expect(await client.call('codex_status', { sessionId: sessionId ?? null })).toMatchObject({ status: 'active' });
    await client.call('codex_interrupt', { sessionId: sessionId ?? null });

    const waiting = { sessionId: sessionId ?? null, message, waitSeconds: 100 };
    const call = client.begin('tools/call', { name: 'codex_say', arguments: waiting });
    const statusOf = async () => (await client.call('codex_status', { sessionId: sessionId ?? null }))['status'];
    await eventually(async () => (await statusOf()) === 'active');
    client.notify('notifications/cancelled', { requestId: call.id });
    await eventually(async () => (await statusOf()) === 'interrupted');
  });
});
