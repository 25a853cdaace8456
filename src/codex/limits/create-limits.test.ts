import { expect, test } from 'vitest';
import { createLimits } from './create-limits.ts';
import type { OperatorLimits } from './operator-limits.ts';

const NONE: OperatorLimits = { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] };
const WRITES: OperatorLimits = { maxSandbox: 'workspace-write', allowsDanger: false, roots: ['/no/project'] };

test('without limits, only the folders of Codex and Switchboard are protected', () => {
  const { protectedFolders, engineLimits } = create(NONE);

  expect(engineLimits).toBeUndefined();
  expect(protectedFolders[0]?.path).toBe('/no/home/.codex');
  expect(protectedFolders.map(({ path }) => path)).not.toContain('/no/lib');
});

test('under limits, the code of this server is protected too', () => {
  const { protectedFolders, engineLimits } = create(WRITES);

  expect(protectedFolders.at(-1)).toEqual({ path: '/no/lib', what: 'the code of Switchboard itself (/no/lib)' });
  expect(engineLimits).toMatchObject({ ownPrograms: ['/no/lib/main.js', '/no/bin/node'], tmpdir: undefined });
});

test('sessions keep a TMPDIR only if it contains no protected folder', async () => {
  const open = create(WRITES, { TMPDIR: '/no/tmp' });
  expect([open.engineLimits?.tmpdir, open.engineLimits?.openTempFolders()]).toEqual([
    '/no/tmp',
    expect.arrayContaining(['/no/tmp']),
  ]);
  expect((await open.writable())('/no/tmp/planted')).toBe('/no/tmp');

  const closed = create(WRITES, { TMPDIR: '/no/lib' });
  expect([closed.engineLimits?.tmpdir, closed.engineLimits?.openTempFolders()]).toEqual([
    undefined,
    expect.not.arrayContaining(['/no/lib']),
  ]);
});

function create(operatorLimits: OperatorLimits, env: Readonly<Record<string, string>> = {}) {
  return createLimits({
    operatorLimits,
    environment: { cwd: '/no/project', home: '/no/home', env, platform: 'linux' },
    codexHome: '/no/home/.codex',
    ownPrograms: ['/no/lib/main.js', '/no/bin/node'],
  });
}
