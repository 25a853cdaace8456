import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findHeldSessions } from './writer-locks.ts';

test('a Codex that never ran or was killed holds no sessions', async () => {
  const home = await mkdtemp(join(tmpdir(), 'locks-'));
  try {
    expect(await findHeldSessions(home)).toEqual(new Set());
    const folder = join(home, 'thread-writer-locks');
    await mkdir(folder);
    for (const name of ['a.lock', '.coordination.lock', 'other']) await writeFile(join(folder, name), '');

    expect(await findHeldSessions(home)).toEqual(new Set());
  } finally {
    await rm(home, { recursive: true });
  }
});
