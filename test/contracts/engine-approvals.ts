import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolOutputs } from '../codex/model-request.ts';
import type { EngineTests } from './engine.ts';

const { signal: NEVER } = new AbortController();
const ASKING = { approvalPolicy: 'untrusted', sandbox: 'workspace-write' } as const;

/** Approval requests, for engines that support them. */
export function testApprovals({ openTestbed, shell, lacks }: EngineTests): void {
  const canAsk = !lacks.includes('approvals');

  test.runIf(canAsk).each([
    ['approve', true],
    ['deny', false],
  ])('a command that needs approval waits for the answer: %s', async (answer, isRun) => {
    await using testbed = await openTestbed();
    const file = join(testbed.home.workDir, 'touched');
    const turn = await testbed.start([shell(`touch ${file}`), { message: 'Done.' }], ASKING);
    const asked = await testbed.until(() => testbed.questions[0]);

    expect(testbed.engine.unsupported.approvals).toBeUndefined();
    expect(asked.sessionId).toBe(turn.sessionId);
    expect(asked.request).toMatchObject({ type: 'command_approval', turnId: turn.turnId });
    expect(asked.request.questions[0]?.question).toContain(`touch ${file}`);
    expect(asked.request.questions[0]?.options).toEqual(expect.arrayContaining(['approve', 'deny']));
    expect(await exists(file)).toBe(false);
    expect(asked.withdrawn.aborted).toBe(false);
    const { response } = await asked.request.decide([answer]);
    asked.respond(response);

    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Done.' });
    expect(await exists(file)).toBe(isRun);
    expect(testbed.questions).toHaveLength(1);
  });

  test.runIf(canAsk)('an interrupt withdraws an approval request, and the command does not run', async () => {
    await using testbed = await openTestbed();
    const file = join(testbed.home.workDir, 'touched');
    const turn = await testbed.start([shell(`touch ${file}`), { message: 'never' }], ASKING);
    const asked = await testbed.until(() => testbed.questions[0]);
    await testbed.engine.interrupt(turn, NEVER);

    expect(await testbed.endOf(turn)).toEqual({ status: 'interrupted' });
    await testbed.until(() => asked.withdrawn.aborted || undefined);
    // A late answer must neither throw nor have an effect.
    asked.respond((await asked.request.decide(['approve'])).response);
    const next = await testbed.say(turn.sessionId, [{ message: 'Yes?' }]);
    expect(await testbed.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Yes?' });
    expect(await exists(file)).toBe(false);
  });

  test.runIf(canAsk)('closing the engine withdraws an approval request', async () => {
    await using testbed = await openTestbed();
    await testbed.start([shell('touch untouched'), { message: 'never' }], ASKING);
    const asked = await testbed.until(() => testbed.questions[0]);
    await testbed.engine.close();

    expect(asked.withdrawn.aborted).toBe(true);
    expect(await exists(join(testbed.home.workDir, 'untouched'))).toBe(false);
  });

  test.runIf(!canAsk)('an engine without approvals reports why, and does not run the command', async () => {
    await using testbed = await openTestbed();
    const file = join(testbed.home.workDir, 'touched');
    const steps = [shell(`touch ${file}`), { message: 'Done.' }];
    const asking = testbed.start(steps, { ...ASKING, sandbox: 'read-only' });
    await expect(asking).rejects.toMatchObject({ message: expect.stringMatching(/cannot ask/) });
    const turn = await testbed.start(steps, { sandbox: 'read-only' });

    expect(testbed.engine.unsupported.approvals).toMatch(/\w+ .*\.$/);
    expect(await testbed.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Done.' });
    expect(testbed.questions).toEqual([]);
    expect(await exists(file)).toBe(false);
    expect(toolOutputs(testbed.model.requests.at(-1) ?? NOTHING_SENT)).toHaveLength(1);
  });
}

const NOTHING_SENT = { model: '', input: [], tools: [], body: {} };

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
