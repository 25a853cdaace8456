import { describe, expect, test } from 'vitest';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { commandsWith, onlySession, phases, startArguments } from './stop-phases.ts';
import { openStoppableSession, starting } from './stop-testbed.ts';
import { eventually } from './testbed.ts';

const MAX_STOP_MS = 25_000;
/** Earlier Codex output may follow, but no colors. */
const KILLED = {
  kind: 'engine',
  message: expect.stringMatching(/^Codex \(codex app-server\) was killed by SIGKILL[.:]\P{Cc}*$/u),
};

describe('SIGKILL of Codex', () => {
  for (const phase of phases)
    verifies(
      ['codex:session:crash', 'codex:say:after-error'],
      `stops the commands of a session that is ${phase.name}, which can be resumed`,
      async () => {
        await using stage = await openStoppableSession(phase);
        const { client, token, call } = stage;
        const killed = stage.enginePid();
        const { sessionId } = await onlySession(client);

        process.kill(killed, 'SIGKILL');

        expect(await call.answer).toMatchObject({
          result: { structuredContent: { sessionId, status: 'error', error: KILLED } },
        });
        await eventually(() => commandsWith(token).length === 0, MAX_STOP_MS);
        const status = await client.call('codex_status', { sessionId });
        expect(status).toMatchObject({ status: 'error', error: KILLED });
        expect(status).not.toHaveProperty('pendingQuestion');
        const sayArguments = { sessionId, message: script([{ message: 'back' }]), waitSeconds: 50 };
        expect(await client.call('codex_say', sayArguments)).toMatchObject({ status: 'done', result: 'back' });
        expect(stage.enginePid()).not.toBe(killed);
      },
    );

  verifies('codex:session:crash', 'while a session starts is reported in the response to its start', async () => {
    await using stage = await openStoppableSession(starting);
    const { client, token, call } = stage;

    process.kill(stage.enginePid(), 'SIGKILL');

    expect(await call.answer).toMatchObject({ result: { isError: true, content: [{ text: KILLED.message }] } });
    await eventually(() => commandsWith(token).length === 0, MAX_STOP_MS);
    await expect(onlySession(client)).rejects.toThrow('expected one session: []');
  });

  test('is reported to every session, and each session continues in the next Codex process', async () => {
    await using stage = await openStoppableSession(starting, { slowMs: 50 });
    const { client } = stage;
    await stage.call.answer;
    const start = async () => (await client.call('codex_start', startArguments([{ hang: true }])))['sessionId'];
    const ids = [await start(), await start(), await start()].map(String);
    // A session can be resumed only once Codex has stored it, which is the case when the model gets its request.
    await eventually(() => stage.testbed.model.requests.length === 1 + ids.length);
    const resume = (sessionId: string) =>
      client.call('codex_say', { sessionId, message: script([{ message: `${sessionId} is back` }]), waitSeconds: 50 });

    process.kill(stage.enginePid(), 'SIGKILL');

    const { sessions } = await client.call('codex_wait', { sessionIds: ids });
    expect(sessions).toMatchObject(ids.map((sessionId) => ({ sessionId, status: 'error', error: KILLED })));
    const resumed = await Promise.all(ids.map(resume));
    expect(resumed).toMatchObject(ids.map((id) => ({ sessionId: id, status: 'done', result: `${id} is back` })));
  });
});

describe('a Codex that stops responding', () => {
  verifies('codex:session:hang', 'delays no call beyond its timeout', async () => {
    await using stage = await openStoppableSession(starting, { args: ['--max-wait', '1'], slowMs: 50 });
    const { client } = stage;
    await stage.call.answer;
    const { sessionId } = await client.call('codex_start', startArguments([{ hang: true }]));
    await eventually(() => stage.testbed.model.requests.length >= 2);
    const engine = stage.enginePid();
    process.kill(engine, 'SIGSTOP');
    const listing = client.failure('codex_list');
    expect(await client.call('codex_status', { sessionId })).toMatchObject({ status: 'active' });
    expect(await client.call('codex_wait', { sessionIds: [sessionId ?? null] })).toMatchObject({ isOver: false });
    const begunAt = performance.now();
    expect(await client.call('codex_interrupt', { sessionId })).toMatchObject({
      sessionId,
      status: 'interrupted',
      note: expect.stringMatching(/^Codex did not respond and was killed: the turn has stopped/),
    });
    expect(performance.now() - begunAt).toBeLessThan(MAX_STOP_MS);
    expect(await listing).toMatch(/^Codex .*did not respond and was killed/);
    expect(await client.call('codex_list')).toHaveProperty('sessions');
    expect(stage.enginePid()).not.toBe(engine);
  });
});
