import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { commandsWith, onlySession, scattering } from './stop-phases.ts';
import { openStage } from './stop-world.ts';
import { type CodexClient, eventually } from './world.ts';

/** Each turn of this engine has its own Codex, so its servers end with the turn. */
const MAX_STOP_MS = 25_000;
const openExecStage = () => openStage(scattering, { args: ['--allow-dangerous', '--engine', 'exec'] });

const ends: Readonly<Record<string, (client: CodexClient) => void>> = {
  'the end of stdin': (client) => client.endInput(),
  TERM: (client) => client.kill('SIGTERM'),
  KILL: (client) => client.kill('SIGKILL'),
};
for (const [name, end] of Object.entries(ends))
  verifies('codex:server:shutdown', `${name} of the server leaves no process of the exec engine`, async () => {
    await using stage = await openExecStage();

    end(stage.client);

    await stage.client.exited;
    await eventually(() => commandsWith(stage.token).length === 0, MAX_STOP_MS);
  });

verifies('codex:exec:interrupt', 'an interrupt leaves no process of the exec engine', async () => {
  await using stage = await openExecStage();
  const { sessionId } = await onlySession(stage.client);

  const interrupted = await stage.client.call('codex_interrupt', { sessionId });

  expect(interrupted).toMatchObject({ sessionId, status: 'interrupted' });
  await eventually(() => commandsWith(stage.token).length === 0, MAX_STOP_MS);
});

verifies('codex:exec:interrupt', 'a cancelled codex_start leaves no process of the exec engine', async () => {
  await using stage = await openExecStage();
  const { client, call } = stage;

  client.notify('notifications/cancelled', { requestId: call.id });

  await eventually(async () => (await onlySession(client))['status'] === 'interrupted', MAX_STOP_MS);
  await eventually(() => commandsWith(stage.token).length === 0, MAX_STOP_MS);
});
