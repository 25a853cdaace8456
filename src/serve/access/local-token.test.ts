import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { modeOf, useTemporaryHomes } from '../../../test/temporary-folder.ts';
import { verifies } from '../../../test/verifies.ts';
import { ensureLocalToken, localTokenFile, removeLocalTokenFile } from './local-token.ts';
import { openAccess } from './open-access.ts';
import { openTokenStore } from './token-store.ts';

const newHome = useTemporaryHomes();

verifies(
  'token:local:file',
  'the local token is created once, in a file that only this user can read, beside other tokens',
  async () => {
    const environment = newHome();
    const store = openTokenStore(environment);
    store.create({ name: 'ci', role: 'admin', view: undefined, expiresAt: undefined, mayNameFolders: false });
    expect([await ensureLocalToken(environment), await ensureLocalToken(environment)]).toEqual([true, false]);
    expect(modeOf(localTokenFile(environment))).toBe('600');
    expect(store.readAll().map(({ name, role, mayNameFolders }) => ({ name, role, mayNameFolders }))).toEqual([
      { name: 'ci', role: 'admin', mayNameFolders: false },
      { name: 'local', role: 'use', mayNameFolders: true },
    ]);
    expect(principalOf(environment)).toMatchObject({ name: 'local' });
  },
);

test('servers that start together create one', async () => {
  const environment = newHome();
  const created = await Promise.all(Array.from({ length: 8 }, () => ensureLocalToken(environment)));
  expect(created.filter((isCreated) => isCreated)).toHaveLength(1);
  expect(openTokenStore(environment).readAll()).toHaveLength(1);
  expect(principalOf(environment)).toBeDefined();
});

test.each([
  ['was revoked', (environment: Home) => openTokenStore(environment).revoke('local')],
  ['has lost its file', (environment: Home) => removeLocalTokenFile(environment)],
  ['has a damaged file', (environment: Home) => writeFileSync(localTokenFile(environment), 'swb_')],
  ['has lost its store', (environment: Home) => rmSync(openTokenStore(environment).file)],
])('a local token that %s is replaced at the next start', async (_case, damage) => {
  const environment = newHome();
  await ensureLocalToken(environment);
  const before = readFileSync(localTokenFile(environment), 'utf8');
  damage(environment);
  expect(await ensureLocalToken(environment)).toBe(true);
  expect(readFileSync(localTokenFile(environment), 'utf8')).not.toBe(before);
  expect(openTokenStore(environment).readAll()).toHaveLength(1);
  expect(principalOf(environment)).toMatchObject({ name: 'local' });
});

test('a damaged store is refused, and no token is written', async () => {
  const environment = newHome();
  writeFileSync(openTokenStore(environment).file, '{');
  await expect(ensureLocalToken(environment)).rejects.toMatchObject({ code: 'CONFIG_INVALID' });
  expect(() => readFileSync(localTokenFile(environment))).toThrow('ENOENT');
});

type Home = ReturnType<typeof newHome>;

/** Returns who a program is that reads the file. */
function principalOf(environment: Home) {
  const access = openAccess({ environment, onProblem: () => undefined });
  access.close();
  return access.authenticate(`Bearer ${readFileSync(localTokenFile(environment), 'utf8').trim()}`);
}
