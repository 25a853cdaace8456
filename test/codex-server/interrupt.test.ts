import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findProcesses } from '../codex/find-processes.ts';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { follow, itemsOf, requestsOf, start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';
import { eventually, FREE } from './testbed.ts';

const shared = shareTestbed();

verifies(
  ['codex:interrupt:stops', 'codex:interrupt:status', 'codex:status:words'],
  'an interrupt ends the turn, and its earlier output stays visible',
  async () => {
    const steps = [{ message: 'I begin.' }, { shell: 'echo hi' }, { message: 'half' }, { hang: true }] as const;
    const flow = await start(shared.client, steps);
    await vi.waitFor(() => expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(2), 30_000);
    expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted' });
    const status = await flow.status();
    expect(status).toMatchObject({
      status: 'interrupted',
      turnCount: 1,
      recentOutput: expect.arrayContaining(['I begin.']),
    });
    expect(itemsOf(status)).toEqual(
      expect.arrayContaining(['agent_message completed', "command_execution completed /bin/bash -lc 'echo hi'"]),
    );
    expect(Object.keys(status)).not.toContain('result');
  },
);

verifies('codex:interrupt:commands', 'an interrupt stops the commands of the session', async () => {
  const { rootDir, workDir } = shared.testbed.home;
  // Codex must be running before the processes are counted.
  await (await start(shared.client, [{ message: 'ready' }])).settled();
  const before = await findProcesses(rootDir);
  const flow = await start(shared.client, [{ shell: 'touch runs.txt; sleep 300 & sleep 301' }, { message: 'never' }]);
  await eventually(() => existsSync(join(workDir, 'runs.txt')));
  await eventually(async () => (await findProcesses(rootDir)).length > before.length);
  expect(await flow.interrupt()).toMatchObject({ status: 'interrupted' });
  await eventually(async () => (await findProcesses(rootDir)).length <= before.length);
});

verifies('codex:interrupt:pending', 'an interrupt refuses pending approvals', async () => {
  const calls = ['a', 'b'].map((name) => ({ shell: `touch pending-${name}.txt` }));
  const flow = await start(shared.client, [{ calls }, { message: 'never' }], { approvalPolicy: 'untrusted' });
  await flow.questions(2);
  expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted' });
  const status = await flow.status();
  expect(Object.keys(status)).not.toContain('pendingQuestion');
  expect(status).toMatchObject({ status: 'interrupted' });
  const { workDir } = shared.testbed.home;
  expect(['a', 'b'].some((name) => existsSync(join(workDir, `pending-${name}.txt`)))).toBe(false);
});

verifies(
  'codex:interrupt:right-after-start',
  'an interrupt right after a start or a message is answered, and ends the turn',
  async () => {
    for (let round = 0; round < 5; round++) {
      const flow = await start(shared.client, [{ hang: true }]);
      expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted' });
      await flow.say([{ hang: true }]);
      expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'interrupted' });
      expect(await flow.status()).toMatchObject({ status: 'interrupted', turnCount: 2 });
      // Also in Codex: a turn that continued there would receive the message.
      const next = await flow.say([{ message: 'free again' }], { waitSeconds: 50 });
      expect(next).toMatchObject({ status: 'done', result: 'free again' });
    }
  },
);

test('an interrupt of a finished session reports that no turn was running and changes nothing', async () => {
  const flow = await start(shared.client, [{ message: 'done' }]);
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  const note = 'No turn was running. Commands still running were stopped.';
  expect(await flow.interrupt()).toEqual({ sessionId: flow.id, status: 'done', note });
  expect(await flow.status()).toMatchObject({ status: 'done', result: 'done' });
});

test('an interrupt that races with the end of a turn does not hang', async () => {
  for (let round = 0; round < 8; round++) {
    const flow = await start(shared.client, [{ delayMs: 40 + 5 * round }, { message: 'done' }]);
    await vi.waitFor(() => expect(requestsOf(shared.testbed.model, flow.id)).toHaveLength(1), 30_000);
    await new Promise((resolve) => setTimeout(resolve, 35));
    const { status } = await flow.interrupt();
    expect(['done', 'interrupted']).toContain(status);
    expect(await flow.status()).toMatchObject({ status });
  }
});

test('two concurrent interrupts are both answered', async () => {
  const flow = await start(shared.client, [{ hang: true }]);
  const answers = await Promise.all([flow.interrupt(), flow.interrupt()]);
  expect(answers.map(({ status }) => status)).toEqual(['interrupted', 'interrupted']);
});

test('an interrupt of one session does not affect the others', async () => {
  const [one, other] = await Promise.all(
    [[{ hang: true as const }], [{ delayMs: 600 }, { message: 'done' }]].map((steps) => start(shared.client, steps)),
  );
  await one?.interrupt();
  expect(await other?.settled()).toMatchObject({ status: 'done', result: 'done' });
});

verifies(
  ['codex:interrupt:required', 'codex:server:unknown-session'],
  'an interrupt requires a session, and names an unknown one',
  async () => {
    expect(await shared.client.failure('codex_interrupt')).toContain('sessionId');
    const id = '01a10000-0000-7000-8000-000000000000';
    expect(await shared.client.failure('codex_interrupt', { sessionId: id })).toContain(`No turn of session ${id}`);
  },
);

test('cancelling a waiting codex_start ends its turn', async () => {
  const { client } = shared;
  const prompt = script([{ message: 'I begin.' }, { shell: 'echo cancelled' }, { hang: true }]);
  const { id } = client.begin('tools/call', { name: 'codex_start', arguments: { ...FREE, prompt, waitSeconds: 50 } });
  const isHeard = () =>
    shared.testbed.model.requests.filter((request) => JSON.stringify(request.input).includes('echo cancelled'));
  await vi.waitFor(() => expect(isHeard()).toHaveLength(2), 30_000);
  const sessionId = String(isHeard()[0]?.body['prompt_cache_key']);
  expect(await follow(client, sessionId).status()).toMatchObject({ status: 'active' });
  client.notify('notifications/cancelled', { requestId: id });
  await vi.waitFor(
    async () => expect(await follow(client, sessionId).status()).toMatchObject({ status: 'interrupted' }),
    30_000,
  );
});
