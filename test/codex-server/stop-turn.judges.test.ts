import { readdir } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { commandsWith, onlySession, phases, startArguments } from './stop-phases.ts';
import { openStoppableSession, type StoppableSession, starting } from './stop-testbed.ts';
import { eventually } from './testbed.ts';

/** Within this time, a turn and its commands have ended, whatever Codex does. */
const MAX_INTERRUPT_MS = 25_000;

const cancel = ({ client, call }: StoppableSession) =>
  client.notify('notifications/cancelled', { requestId: call.id, reason: 'changed my mind' });

describe('cancelling a waiting codex_start', () => {
  for (const phase of phases)
    test(`ends a session that is ${phase.name}, and Codex keeps running`, async () => {
      await using stage = await openStoppableSession(phase);
      const engine = stage.enginePid();

      cancel(stage);

      await isInterrupted(stage);
      await expectSessionContinues(stage, engine);
    });

  test('while the session is starting prevents the turn and frees its slot', async () => {
    await using stage = await openStoppableSession(starting, { env: { MAX_SESSIONS: '1' }, slowMs: 5_000 });
    const { client, testbed } = stage;

    cancel(stage);

    const done = await eventually(() =>
      client.call('codex_start', { ...startArguments([{ message: 'second' }]), waitSeconds: 50 }).catch((error) => {
        if (!String(error).includes('MAX_SESSIONS')) throw error;
        return undefined;
      }),
    );
    expect(done).toMatchObject({ status: 'done', result: 'second' });
    expect(testbed.model.requests.length).toBe(1);
  });
});

describe('codex_interrupt', () => {
  for (const phase of phases)
    verifies(
      ['codex:interrupt:stops', 'codex:interrupt:commands', 'codex:say:after-interrupted'],
      `ends a session that is ${phase.name}, and Codex keeps running`,
      async () => {
        await using stage = await openStoppableSession(phase);
        const { client, call } = stage;
        const engine = stage.enginePid();
        const { sessionId } = await onlySession(client);
        const begunAt = performance.now();

        const interrupted = await client.call('codex_interrupt', { sessionId });

        expect(interrupted).toEqual({ sessionId, status: 'interrupted' });
        expect(performance.now() - begunAt).toBeLessThan(MAX_INTERRUPT_MS);
        expect(await call.answer).toMatchObject({
          result: { structuredContent: { sessionId, status: 'interrupted' } },
        });
        await isInterrupted(stage);
        await expectSessionContinues(stage, engine);
      },
    );

  verifies('codex:interrupt:right-after-start', 'ends a turn that has just started', async () => {
    await using stage = await openStoppableSession(starting, { slowMs: 100 });
    const { client, call } = stage;
    await call.answer;
    const { sessionId } = await client.call('codex_start', startArguments([{ hang: true }]));

    expect(await client.call('codex_interrupt', { sessionId })).toEqual({ sessionId, status: 'interrupted' });
    expect(await client.call('codex_interrupt', { sessionId })).toEqual({
      sessionId,
      status: 'interrupted',
      note: 'No turn was running. Commands still running were stopped.',
    });
  });

  verifies(
    ['codex:server:no-leak', 'codex:server:concurrent'],
    'of many sessions in quick succession leaves no command running',
    async () => {
      await using stage = await openStoppableSession(starting, { args: ['--allow-dangerous'], slowMs: 100 });
      const { client, token } = stage;
      await stage.call.answer;
      const begin = async () => {
        const { sessionId } = await client.call('codex_start', {
          ...startArguments([{ shell: `sleep 300.${token}` }]),
          sandbox: 'danger-full-access',
        });
        return client.call('codex_interrupt', { sessionId });
      };

      const interrupted = await Promise.all(Array.from({ length: 8 }, begin));

      expect(interrupted.map(({ status }) => status)).toEqual(Array(8).fill('interrupted'));
      // Also in Codex: a turn that continued there would receive the message.
      const message = script([{ message: 'free again' }]);
      const resume = ({ sessionId }: JsonObject) => client.call('codex_say', { sessionId, message, waitSeconds: 50 });
      const resumed = await Promise.all(interrupted.map(resume));
      expect(resumed.map(({ result }) => result)).toEqual(Array(8).fill('free again'));
      await eventually(() => sleepCommands(token).length === 0, MAX_INTERRUPT_MS);
    },
  );
});

async function isInterrupted({ client, token }: StoppableSession): Promise<void> {
  // The client of a pending question is notified that no answer is needed.
  const withdrawn = () => client.notifications.filter(({ method }) => method === 'notifications/cancelled');
  await eventually(() => withdrawn().length === client.requests.length, MAX_INTERRUPT_MS);
  await eventually(async () => (await onlySession(client))['status'] === 'interrupted', MAX_INTERRUPT_MS);
  await eventually(() => sleepCommands(token).length === 0, MAX_INTERRUPT_MS);
}

/** The same Codex, the same session, and the session's servers, which belong to the session and not to its turn. */
async function expectSessionContinues(
  { client, token, enginePid, testbed }: StoppableSession,
  engine: number,
): Promise<void> {
  const { sessionId } = await onlySession(client);
  const sayArguments = { sessionId, message: script([{ message: 'going on' }]), waitSeconds: 50 };
  expect(await client.call('codex_say', sayArguments)).toMatchObject({ status: 'done', result: 'going on' });
  expect(await client.call('codex_status', { sessionId })).toMatchObject({ status: 'done', turnCount: 2 });
  expect(enginePid()).toBe(engine);
  expect(commandsWith(token)).toHaveLength(1);
  // Actions that waited for an approval were not run.
  expect(await readdir(testbed.home.workDir)).not.toContain(token);
}

function sleepCommands(token: string): readonly string[] {
  return commandsWith(token).filter((command) => !command.includes('.mjs'));
}
