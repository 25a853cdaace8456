import { expect, test } from 'vitest';
import { findHeldSessions } from '../../src/codex/storage/writer-locks.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';
import { openEngineWorld } from '../contracts/engine-world.ts';
import { trackProcesses } from '../processes.ts';

const tracker = trackProcesses();

test.runIf(process.platform === 'linux')('a session is locked exactly while a Codex process has it open', async () => {
  await using world = await openEngineWorld({ tracker, age: 'today', open: openEngineOfKind('app-server') });
  const { sessionId } = await world.run([{ message: 'Done.' }]);
  expect(await findHeldSessions(world.home.codexDir)).toEqual(new Set([sessionId]));
  await using other = await world.another();
  await expect(other.say(sessionId, [{ message: 'never' }])).rejects.toMatchObject({
    code: 'SESSION_HELD',
    data: { sessionId },
  });
  await world.engine.close();

  expect(await findHeldSessions(world.home.codexDir)).toEqual(new Set());
  expect(await other.endOf(await other.say(sessionId, [{ message: 'Mine.' }]))).toEqual({
    status: 'completed',
    lastMessage: 'Mine.',
  });
});
