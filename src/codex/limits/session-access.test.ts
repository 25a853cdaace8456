import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { storedSession } from '../../../test/contracts/engine-in-memory.ts';
import { openMemorySessions } from '../../../test/contracts/sessions-in-memory.ts';
import type { ServerContext } from '../server-context.ts';
import { openSavedSettings } from '../settings/saved-settings.ts';
import { assertSessionAllowed } from './session-access.ts';

let root = '';
beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'access-'));
  for (const name of ['inside', 'outside']) await mkdir(join(root, name));
});
afterAll(() => rm(root, { recursive: true }));

test.each([
  ['outside', 'DENIED'],
  ['placeless', 'DENIED'],
  ['nowhere', 'SESSION_NOT_FOUND'],
])('rejects a session that the caller may not access: %s', async (sessionId, code) => {
  await expect(assertSessionAllowed(serverContext([join(root, 'inside')]), sessionId)).rejects.toMatchObject({
    code,
    data: { sessionId },
  });
});

test('allows a session in an allowed folder, one of this server, and any without limits', async () => {
  const limited = serverContext([join(root, 'inside')]);
  await assertSessionAllowed(limited, 'inside');
  limited.sessions.registry.add({ sessionId: 'ours', cwd: '/anywhere' }, {});
  await assertSessionAllowed(limited, 'ours');

  expect(await assertSessionAllowed(serverContext([]), 'outside')).toBeUndefined();
});

function serverContext(roots: readonly string[]): ServerContext {
  const { directory: _, ...placeless } = storedSession('placeless', []);
  const stored = [
    ...['inside', 'outside'].map((name) => ({ ...storedSession(name, []), directory: join(root, name) })),
    placeless,
  ];
  return {
    sessions: openMemorySessions({ stored }).sessions,
    operatorLimits: { maxSandbox: 'danger-full-access', allowsDanger: false, roots },
    cwd: root,
    home: root,
    codexHome: root,
    protectedFolders: [],
    savedSettings: openSavedSettings(root),
    maxWaitMs: () => 0,
  };
}
