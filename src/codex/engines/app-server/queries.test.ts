import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import { parseCodexVersion } from '../../locate/codex-version.ts';
import { createQueries } from './queries.ts';

/** How each Codex responds to a folder filter, as measured on 0.92.0, 0.105.0, 0.118.0 and 0.150.0. */
describe.each([
  ['0.92.0', 'ignored'],
  ['0.105.0', 'one'],
  ['0.118.0', 'one'],
  ['0.150.0', 'many'],
] as const)('sessions of one folder in Codex %s', (version, filter) => {
  let root: string;

  beforeAll(async () => {
    root = await mkdtemp(join(tmpdir(), 'switchboard-library-'));
    await mkdir(join(root, 'real'));
    await symlink(join(root, 'real'), join(root, 'link'));
  });
  afterAll(() => rm(root, { recursive: true }));

  const listed = async (workingDirectory: string) => {
    const cwds = ['real', 'link', 'other'].map((name) => join(root, name));
    const request = async (_method: string, { cwd }: Readonly<Record<string, unknown>>) => {
      if (Array.isArray(cwd) && filter === 'one')
        throw new AppError('REQUEST_FAILED', 'Invalid request: invalid type: sequence, expected a string');
      const wanted = filter === 'ignored' || cwd === undefined ? cwds : [cwd].flat();
      return { data: cwds.filter((one) => wanted.includes(one)).map((one) => ({ id: one, cwd: one, updatedAt: 1 })) };
    };
    const access = {
      request,
      requestForSession: () => Promise.reject(new Error('not asked')),
      connect: async () => ({ version: parseCodexVersion(`codex-cli ${version}`) }),
    };
    const { sessions } = await createQueries(access).list({ limit: 10, workingDirectory });
    return sessions.map(({ directory }) => directory?.slice(root.length + 1));
  };

  test('are found by the only path of the folder', async () => {
    expect(await listed(join(root, 'real'))).toEqual(['real']);
  });

  test('are found by both paths of a symlinked folder', async () => {
    expect(await listed(join(root, 'link'))).toEqual(['real', 'link']);
  });
});
