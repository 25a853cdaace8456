import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { refuseEnvFile } from './env-file.ts';

let home: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'env-file-'));
});
afterEach(() => rmSync(home, { recursive: true }));

const writableAt = (path: string) => (path.startsWith('/project') ? '/project' : undefined);
const check = (platform: NodeJS.Platform = 'linux') =>
  refuseEnvFile(home, { platform, findWritableFolder: writableAt });
const write = (text: string) => writeFileSync(join(home, '.env'), text);

test.each([
  ['a folder that sessions can write to', '/usr/bin:/project/bin', '/project/bin'],
  ['U+FEFF, which Codex does not trim', '\ufeff/usr/bin', '\\ufeff/usr/bin'],
  ['a relative entry', '"./bin:/usr/bin"', './bin'],
  ['an empty entry', '/usr/bin:', 'an empty entry'],
  ['an empty value', '', 'an empty entry'],
  ['another variable', '"$HOME/bin:$PATH"', '$HOME/bin'],
  ['a variable in single quotes', "'$PATH'", '$PATH'],
  ['an escape', '/usr\\/bin', '/usr\\/bin'],
  ['an unterminated quote', '"/usr/bin', '"/usr/bin'],
])('rejects a PATH with %s', async (_, value, entry) => {
  write(`A=1\nPATH=${value}\n`);
  await expect(check()).rejects.toMatchObject({
    code: 'CONFIG_INVALID',
    message: expect.stringContaining(`${join(home, '.env')}:2 puts ${entry} into PATH.`),
  });
});

test.each([
  '',
  '# PATH=bin',
  'PATH=/usr/bin',
  'export PATH="/opt/bin:$PATH" # mine',
  `PATH='/usr/bin:/bin'\r\nPATH=\${PATH}`,
  'path=bin\nGITHUB_TOKEN=x\nLDAP=y\nMY_HOME=z',
])('accepts a file without unsafe settings: %j', async (text) => {
  write(text);
  await expect(check()).resolves.toBeUndefined();
});

test('variable names are case-insensitive on Windows', async () => {
  write('Git_Dir=x');
  await expect(check()).resolves.toBeUndefined();
  await expect(check('win32')).rejects.toThrow('.env:1 sets Git_Dir.');
});

test('accepts a missing file and a folder', async () => {
  await expect(check()).resolves.toBeUndefined();
  mkdirSync(join(home, '.env'));
  await expect(check()).resolves.toBeUndefined();
});

test('rejects a file that is too large to check', async () => {
  write('#'.repeat(256 * 1024 + 1));
  await expect(check()).rejects.toThrow('is not a regular file of at most 256 KiB');
});
