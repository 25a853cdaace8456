import { expect } from 'vitest';
import { verifies } from '../verifies.ts';
import { commandsWith, multiProcessCommand, onlySession } from './stop-phases.ts';
import { openStoppableSession } from './stop-testbed.ts';
import { type CodexClient, eventually } from './testbed.ts';

/** Each turn of this engine has its own Codex, so its servers end with the turn. */
const MAX_STOP_MS = 25_000;
const openExecSession = () =>
  openStoppableSession(multiProcessCommand, { args: ['--allow-dangerous', '--engine', 'exec'] });

const ends: Readonly<Record<string, (client: CodexClient) => void>> = {
  'the end of stdin': (client) => client.endInput(),
  TERM: (client) => client.kill('SIGTERM'),
  KILL: (client) => client.kill('SIGKILL'),
};
for (const [name, end] of Object.entries(ends))
  verifies('codex:server:shutdown', `${name} of the server leaves no process of the exec engine`, async () => {
    await using stage = await openExecSession();

    end(stage.client);

    await stage.client.exited;
    await eventually(() => commandsWith(stage.token).length === 0, MAX_STOP_MS);
  });

verifies('codex:exec:interrupt', 'an interrupt leaves no process of the exec engine', async () => {
  await using stage = await openExecSession();
  const { sessionId } = await onlySession(stage.client);

  const interrupted = await stage.client.call('codex_interrupt', { sessionId });

  expect(interrupted).toMatchObject({ sessionId, status: 'interrupted' });
  await eventually(() => commandsWith(stage.token).length === 0, MAX_STOP_MS);
});

verifies('codex:exec:interrupt', 'a cancelled codex_start leaves no process of the exec engine', async () => {
  await using stage = await openExecSession();
  const { client, call } = stage;

  client.notify('notifications/cancelled', { requestId: call.id });

  await eventually(async () => (await onlySession(client))['status'] === 'interrupted', MAX_STOP_MS);
  await eventually(() => commandsWith(stage.token).length === 0, MAX_STOP_MS);
});
