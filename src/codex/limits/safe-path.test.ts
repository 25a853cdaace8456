import { chmodSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { safePath, withSafePath } from './safe-path.ts';

/** `lsb_release` is a script that starts `tr`, and Codex starts it outside of the sandbox. */
const linked = mkdtempSync(join(tmpdir(), 'safe-path-'));
symlinkSync('/project/tools/tr', join(linked, 'tr'));
afterAll(() => rmSync(linked, { recursive: true }));

const findWritableFolder = (path: string) =>
  path.startsWith('/project') || path === join(linked, 'tr') ? '/project' : undefined;
const linux = { platform: 'linux', findWritableFolder } as const;

test.each([
  ['folders that no session can write to', '/usr/local/bin:/usr/bin', '/usr/local/bin:/usr/bin'],
  ['a folder that sessions can write to', '/project/node_modules/.bin:/usr/bin', '/usr/bin'],
  ['a folder with a symlink to a writable folder', `${linked}:/usr/bin`, '/usr/bin'],
  ['a folder that cannot be listed', `/${'x'.repeat(300)}:/usr/bin`, '/usr/bin'],
  ['relative entries', 'node_modules/.bin:./bin:~/bin:../bin:/usr/bin', '/usr/bin'],
  ['empty entries', ':/usr/bin::', '/usr/bin'],
  ['no folder left', '/project/bin:', '/usr/bin:/bin'],
  ['no PATH', '', '/usr/bin:/bin'],
])('PATH keeps only folders in which no session can plant a program: %s', (_, path, safe) => {
  expect(safePath(path, linux)).toBe(safe);
});

test('keeps the case of the variable name on Windows', () => {
  const env = { Path: 'C:\\Windows;bin;', OTHER: 'x' };
  expect(withSafePath(env, { platform: 'win32', findWritableFolder })).toEqual({
    Path: 'C:\\Windows',
    OTHER: 'x',
  });
});

test.skipIf(process.getuid?.() === 0)(
  'checks a folder that programs can start from, even if it cannot be listed',
  () => {
    const folder = mkdtempSync(join(tmpdir(), 'safe-path-'));
    try {
      chmodSync(folder, 0o111);
      expect(safePath(`${folder}:/usr/bin`, linux)).toBe('/usr/bin');
      chmodSync(folder, 0o000);
      expect(safePath(`${folder}:/usr/bin`, linux)).toBe(`${folder}:/usr/bin`);
    } finally {
      chmodSync(folder, 0o700);
      rmSync(folder, { recursive: true });
    }
  },
);
