import { describe, expect } from 'vitest';
import { script } from '../codex/script.ts';
import { verifies } from '../verifies.ts';
import { commandsWith, multiProcessCommand, multiProcessShellCommand, onlySession, type Phase } from './stop-phases.ts';
import { openStoppableSession, type StoppableSession } from './stop-testbed.ts';
import { eventually } from './testbed.ts';

/** The oldest version has a different tool for commands, and does less to end them. */
const older: Phase = {
  ...multiProcessCommand,
  args: (token) => ({
    ...multiProcessCommand.args(token),
    prompt: script([
      { tool: { name: 'shell', arguments: { command: ['bash', '-c', multiProcessShellCommand(token)] } } },
    ]),
  }),
};

const MAX_STOP_MS = 25_000;
const gone = ({ token }: StoppableSession, isServer = true) =>
  eventually(
    () => commandsWith(token).filter((command) => isServer || !command.includes('.mjs')).length === 0,
    MAX_STOP_MS,
  );

describe.each([
  ['0.150', 'previous', multiProcessCommand],
  ['0.92', 'old', older],
] as const)('with Codex %s', (_version, release, phase) => {
  verifies(['codex:interrupt:stops', 'codex:interrupt:commands'], 'an interrupt stops the commands', async () => {
    await using stage = await openStoppableSession(phase, { release });
    const { sessionId } = await onlySession(stage.client);
    const interrupted = await stage.client.call('codex_interrupt', { sessionId });
    expect(interrupted).toMatchObject({ sessionId, status: 'interrupted' });
    await gone(stage, false);
  });

  verifies('codex:server:shutdown', 'SIGTERM of the server leaves no process', async () => {
    await using stage = await openStoppableSession(phase, { release });
    stage.client.kill('SIGTERM');
    await stage.client.exited;
    await gone(stage);
  });

  verifies('codex:server:shutdown', 'SIGKILL of the server leaves no process', async () => {
    await using stage = await openStoppableSession(phase, { release });
    stage.client.kill('SIGKILL');
    await gone(stage);
  });

  verifies('codex:session:crash', 'SIGKILL of Codex leaves no process of it', async () => {
    await using stage = await openStoppableSession(phase, { release });
    process.kill(stage.enginePid(), 'SIGKILL');
    expect(await stage.call.answer).toMatchObject({ result: { structuredContent: { status: 'error' } } });
    await gone(stage);
  });
});
