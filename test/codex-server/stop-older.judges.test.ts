import { describe, expect } from 'vitest';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { commandsWith, onlySession, type Phase, scattered, scattering } from './stop-phases.ts';
import { openStage, type Stage } from './stop-world.ts';
import { eventually } from './world.ts';

/** The oldest version has a different tool for commands, and does less to end them. */
const older: Phase = {
  ...scattering,
  args: (token) => ({
    ...scattering.args(token),
    prompt: script([{ tool: { name: 'shell', arguments: { command: ['bash', '-c', scattered(token)] } } }]),
  }),
};

const MAX_STOP_MS = 25_000;
const gone = ({ token }: Stage, isServer = true) =>
  eventually(
    () => commandsWith(token).filter((command) => isServer || !command.includes('.mjs')).length === 0,
    MAX_STOP_MS,
  );

describe.each([
  ['0.150', 'middle', scattering],
  ['0.92', 'old', older],
] as const)('with Codex %s', (_version, age, phase) => {
  verifies(['codex:interrupt:stops', 'codex:interrupt:commands'], 'an interrupt stops the commands', async () => {
    await using stage = await openStage(phase, { age });
    const { sessionId } = await onlySession(stage.client);
    const interrupted = await stage.client.call('codex_interrupt', { sessionId });
    expect(interrupted).toMatchObject({ sessionId, status: 'interrupted' });
    await gone(stage, false);
  });

  verifies('codex:server:shutdown', 'SIGTERM of the server leaves no process', async () => {
    await using stage = await openStage(phase, { age });
    stage.client.kill('SIGTERM');
    await stage.client.exited;
    await gone(stage);
  });

  verifies('codex:server:shutdown', 'SIGKILL of the server leaves no process', async () => {
    await using stage = await openStage(phase, { age });
    stage.client.kill('SIGKILL');
    await gone(stage);
  });

  verifies('codex:session:crash', 'SIGKILL of Codex leaves no process of it', async () => {
    await using stage = await openStage(phase, { age });
    process.kill(stage.enginePid(), 'SIGKILL');
    expect(await stage.call.answer).toMatchObject({ result: { structuredContent: { status: 'error' } } });
    await gone(stage);
  });
});
