import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { afterAll, beforeAll, expect, test } from 'vitest';

const source = join(import.meta.dirname, '..', '..', 'src', 'codex', 'settings', 'start-settings.ts');
const root = mkdtempSync(join(tmpdir(), 'ordinary-user-'));
const program = join(root, 'settings.mjs');
/** `nobody` on most systems: a user other than root. */
const NOBODY = 65_534;

beforeAll(async () => {
  chmodSync(root, 0o755);
  await build({ entryPoints: [source], bundle: true, platform: 'node', format: 'esm', outfile: program });
});
afterAll(() => rmSync(root, { recursive: true, force: true }));

/**
 * Checks the start of a session in a process that has dropped root, because root can enter every folder. It
 * loads its code before that, because only root may be able to read it.
 */
function start(workingDirectory: string): string {
  const serverContext = {
    operatorLimits: { maxSandbox: 'danger-full-access', allowsDanger: false, roots: [] },
    ...{ cwd: root, home: root, codexHome: join(root, 'codex'), protectedFolders: [] },
  };
  const given = { prompt: 'x', workingDirectory, skipGitRepoCheck: true };
  const code = `
    import { checkStart } from ${JSON.stringify(pathToFileURL(program).href)};
    if (process.getuid?.() === 0) {
      process.setgroups([]);
      process.setgid(${NOBODY});
      process.setuid(${NOBODY});
    }
    const told = await checkStart(${JSON.stringify(given)}, ${JSON.stringify(serverContext)}).then(
      ({ settings }) => 'started in ' + settings.cwd,
      ({ code, message }) => code + ' ' + message,
    );
    process.stdout.write(told);`;
  return execFileSync(process.execPath, ['--input-type=module', '--eval', code], { encoding: 'utf8' });
}

test('an ordinary user can start a session in a fully accessible folder', () => {
  const folder = join(root, 'open');
  mkdirSync(folder);
  chmodSync(folder, 0o755);
  expect(start(folder)).toBe(`started in ${folder}`);
});

test.each([
  ['closed', 0o000],
  ['not to be entered', 0o444],
  ['not to be read', 0o111],
])('a folder that is %s is refused, even without a repository', (name, mode) => {
  const folder = join(root, name);
  mkdirSync(folder);
  chmodSync(folder, mode);
  try {
    expect(start(folder)).toBe(
      `BAD_ARGUMENTS workingDirectory: ${folder} cannot be entered: this user may not read it.`,
    );
  } finally {
    chmodSync(folder, 0o755);
  }
});
