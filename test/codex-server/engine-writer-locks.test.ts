import { expect, test } from 'vitest';
import { findHeldSessions } from '../../src/codex/storage/writer-locks.ts';
import { openEngineOfKind } from '../contracts/engine-kinds.ts';
import { openEngineTestbed } from '../contracts/engine-testbed.ts';
import { trackProcesses } from '../processes.ts';

const tracker = trackProcesses();

test.runIf(process.platform === 'linux')('a session is locked exactly while a Codex process has it open', async () => {
  await using testbed = await openEngineTestbed({ tracker, release: 'current', open: openEngineOfKind('app-server') });
  const { sessionId } = await testbed.run([{ message: 'Done.' }]);
  expect(await findHeldSessions(testbed.home.codexDir)).toEqual(new Set([sessionId]));
  await using other = await testbed.another();
  await expect(other.say(sessionId, [{ message: 'never' }])).rejects.toMatchObject({
    code: 'SESSION_HELD',
    data: { sessionId },
  });
  await testbed.engine.close();

  expect(await findHeldSessions(testbed.home.codexDir)).toEqual(new Set());
  expect(await other.endOf(await other.say(sessionId, [{ message: 'Mine.' }]))).toEqual({
    status: 'completed',
    lastMessage: 'Mine.',
  });
});
