import { describe, expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { trackProcesses } from '../processes.ts';
import { verifies } from '../verifies.ts';
import { startArguments } from './stop-phases.ts';
import { eventually, openTestbed } from './testbed.ts';

const processes = trackProcesses();

describe('MAX_SESSIONS', () => {
  const HANGS = startArguments([{ hang: true }]);

  verifies(
    ['codex:env:max-sessions', 'codex:env:max-sessions-freed'],
    'limits running turns: another start is refused with the list, and an ended turn frees a slot',
    async () => {
      await using testbed = await openTestbed(processes);
      const client = await testbed.serve({ env: { MAX_SESSIONS: '2' } });
      const { workDir } = testbed.home;
      const first = await client.call('codex_start', HANGS);
      const second = await client.call('codex_start', HANGS);
      const reported = `The maximum number of sessions is already running (MAX_SESSIONS is 2). Wait for one of them or interrupt it: ${first['sessionId']} (active, ${workDir}); ${second['sessionId']} (active, ${workDir})`;

      expect(await client.failure('codex_start', HANGS)).toBe(reported);

      await client.call('codex_interrupt', { sessionId: first['sessionId'] ?? null });
      const third = await client.call('codex_start', HANGS);
      expect(third).toMatchObject({ status: 'active' });
      // Another turn of a finished session counts like a new session.
      const again = { sessionId: first['sessionId'] ?? null, message: 'go on' };
      expect(await client.failure('codex_say', again)).toContain('MAX_SESSIONS is 2');
      // A message to a running session does not count.
      const steer = { sessionId: third['sessionId'] ?? null, message: 'hurry', onBusy: 'queue' };
      expect(await client.call('codex_say', steer)).toMatchObject({ delivered: 'queued' });
    },
  );

  verifies('codex:env:max-sessions', 'is not exceeded by concurrent starts', async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve({ env: { MAX_SESSIONS: '3' } });
    const starts = await Promise.all(Array.from({ length: 8 }, () => client.result('codex_start', HANGS)));
    expect(starts.filter(({ isError }) => isError === true)).toHaveLength(5);
    const { sessionId } = Object(starts.find(({ isError }) => isError !== true)?.['structuredContent']);
    // Concurrent messages to finished sessions do not exceed it either.
    await client.call('codex_interrupt', { sessionId });
    const say = () => client.result('codex_say', { sessionId, message: script([{ hang: true }]) });
    const replies = await Promise.all([say(), say()]);
    expect(replies.filter(({ isError }) => isError === true)).toHaveLength(1);
  });
});

describe('a flood', () => {
  verifies(
    ['codex:events:buffer', 'codex:events:buffer-size'],
    'of items keeps the newest events, up to EVENT_BUFFER_SIZE',
    async () => {
      await using testbed = await openTestbed(processes);
      const client = await testbed.serve({ env: { EVENT_BUFFER_SIZE: '20' } });
      const steps: readonly Step[] = Array.from({ length: 100 }, (_, index) => ({ message: `message ${index}` }));
      const { sessionId } = await client.call('codex_start', {
        ...startArguments([{ message: 'first' }]),
        waitSeconds: 50,
      });
      const { cursor } = await client.call('codex_status', { sessionId });
      await client.call('codex_say', { sessionId, message: script(steps), waitSeconds: 50 });

      const all = await client.call('codex_status', { sessionId, outputLines: 1000 });
      const since = await client.call('codex_status', { sessionId, cursor: cursor ?? null, outputLines: 1000 });

      expect(all).toMatchObject({ status: 'done', result: 'message 99' });
      expect(all).not.toHaveProperty('missedEvents');
      const output = all['recentOutput'] as readonly string[];
      expect(output.at(-1)).toBe('message 98');
      expect(output.length).toBeLessThanOrEqual(20);
      expect((all['itemEvents'] as readonly unknown[]).length).toBeLessThanOrEqual(20);
      expect(since).toMatchObject({ missedEvents: true, recentOutput: output });
    },
  );

  test('of ten thousand pieces leaves one message and none of the pieces', async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve();
    const piece = 'piece of a long message ';
    const { sessionId } = await client.call('codex_start', startArguments([{ deltas: Array(10_000).fill(piece) }]));

    const { sessions } = await client.call('codex_wait', { sessionIds: [sessionId ?? null] });

    const [status] = sessions as readonly Record<string, unknown>[];
    expect(status).toMatchObject({ status: 'done', truncated: true });
    const { itemEvents } = await client.call('codex_status', { sessionId: sessionId ?? null });
    expect(itemEvents).toHaveLength(1);
    expect(JSON.stringify(status).length).toBeLessThan(64_000);
    const whole = await client.request('resources/read', { uri: `codex://sessions/${sessionId}/transcript` });
    expect(JSON.stringify(whole)).toContain(piece.repeat(10_000).trim().slice(-1000));
  });

  test('of command output is truncated before it is reported', async () => {
    await using testbed = await openTestbed(processes);
    const client = await testbed.serve();
    const steps: readonly Step[] = [{ shell: 'yes | head -c 5000000' }, { message: 'enough' }];
    const done = await client.call('codex_start', { ...startArguments(steps), waitSeconds: 50 });
    expect(done).toMatchObject({ status: 'done', result: 'enough' });
    expect(JSON.stringify(done).length).toBeLessThan(64_000);
    await eventually(async () => (await client.call('codex_list'))['sessions'] !== undefined);
  });
});
