import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { toolOutputs } from '../codex/model-request.ts';
import type { EngineTests } from './engine.ts';

const { signal: NEVER } = new AbortController();
const ASKING = { approvalPolicy: 'untrusted', sandbox: 'workspace-write' } as const;

/** Approval requests, for engines that support them. */
export function testApprovals({ openWorld, shell, lacks }: EngineTests): void {
  const canAsk = !lacks.includes('approvals');

  test.runIf(canAsk).each([
    ['approve', true],
    ['deny', false],
  ])('a command that needs approval waits for the answer: %s', async (answer, isRun) => {
    await using world = await openWorld();
    const file = join(world.home.workDir, 'touched');
    const turn = await world.start([shell(`touch ${file}`), { message: 'Done.' }], ASKING);
    const asked = await world.until(() => world.questions[0]);

    expect(world.engine.unsupported.approvals).toBeUndefined();
    expect(asked.sessionId).toBe(turn.sessionId);
    expect(asked.request).toMatchObject({ type: 'command_approval', turnId: turn.turnId });
    expect(asked.request.questions[0]?.question).toContain(`touch ${file}`);
    expect(asked.request.questions[0]?.options).toEqual(expect.arrayContaining(['approve', 'deny']));
    expect(await exists(file)).toBe(false);
    expect(asked.withdrawn.aborted).toBe(false);
    const { response } = await asked.request.decide([answer]);
    asked.respond(response);

    expect(await world.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Done.' });
    expect(await exists(file)).toBe(isRun);
    expect(world.questions).toHaveLength(1);
  });

  test.runIf(canAsk)('an interrupt withdraws an approval request, and the command does not run', async () => {
    await using world = await openWorld();
    const file = join(world.home.workDir, 'touched');
    const turn = await world.start([shell(`touch ${file}`), { message: 'never' }], ASKING);
    const asked = await world.until(() => world.questions[0]);
    await world.engine.interrupt(turn, NEVER);

    expect(await world.endOf(turn)).toEqual({ status: 'interrupted' });
    await world.until(() => asked.withdrawn.aborted || undefined);
    // A late answer must neither throw nor have an effect.
    asked.respond((await asked.request.decide(['approve'])).response);
    const next = await world.say(turn.sessionId, [{ message: 'Yes?' }]);
    expect(await world.endOf(next)).toEqual({ status: 'completed', lastMessage: 'Yes?' });
    expect(await exists(file)).toBe(false);
  });

  test.runIf(canAsk)('closing the engine withdraws an approval request', async () => {
    await using world = await openWorld();
    await world.start([shell('touch untouched'), { message: 'never' }], ASKING);
    const asked = await world.until(() => world.questions[0]);
    await world.engine.close();

    expect(asked.withdrawn.aborted).toBe(true);
    expect(await exists(join(world.home.workDir, 'untouched'))).toBe(false);
  });

  test.runIf(!canAsk)('an engine without approvals reports why, and does not run the command', async () => {
    await using world = await openWorld();
    const file = join(world.home.workDir, 'touched');
    const steps = [shell(`touch ${file}`), { message: 'Done.' }];
    const asking = world.start(steps, { ...ASKING, sandbox: 'read-only' });
    await expect(asking).rejects.toMatchObject({ message: expect.stringMatching(/cannot ask/) });
    const turn = await world.start(steps, { sandbox: 'read-only' });

    expect(world.engine.unsupported.approvals).toMatch(/\w+ .*\.$/);
    expect(await world.endOf(turn)).toEqual({ status: 'completed', lastMessage: 'Done.' });
    expect(world.questions).toEqual([]);
    expect(await exists(file)).toBe(false);
    expect(toolOutputs(world.model.requests.at(-1) ?? NOTHING_SENT)).toHaveLength(1);
  });
}

const NOTHING_SENT = { model: '', input: [], tools: [], body: {} };

function exists(path: string): Promise<boolean> {
  return access(path).then(
    () => true,
    () => false,
  );
}
