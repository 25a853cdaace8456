import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runsCodex, testWith } from '../codex/releases.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexRelease, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const ENGINE = ['--engine', 'exec'];
const OPEN = { filesystem: { ':root': 'write' }, network: { enabled: true } };

/** `codex exec` does not report the permissions of a turn, so they must all be derived from the configuration. */
async function addRoot(testbed: LimitedTestbed, root: string): Promise<void> {
  const config = join(testbed.home.codexDir, 'config.toml');
  await writeFile(
    config,
    `${await readFile(config, 'utf8')}\n[sandbox_workspace_write]\nwritable_roots = ["${root}"]\n`,
  );
}

const SPELLINGS: readonly [CodexRelease, string, (folder: string, codexHome: string) => string][] = [
  ['current', 'absolute', (folder) => folder],
  ['previous', 'absolute', (folder) => folder],
  ['old', 'absolute', (folder) => folder],
  ['current', 'relative', (folder, codexHome) => relative(codexHome, folder)],
  ['current', 'below the home folder', (folder, codexHome) => `~/${relative(join(codexHome, '..'), folder)}`],
];

test.each(SPELLINGS.filter(([release]) => runsCodex(release)))(
  "a session cannot replace a folder that the user's config makes writable: %s, %s",
  async (release, _, spelled) => {
    await using testbed = await openLimitedTestbed(processes, { release });
    const inner = join(testbed.root, 'build');
    mkdirSync(inner);
    await addRoot(testbed, spelled(inner, testbed.home.codexDir));
    const client = await testbed.limited({ args: ['--allow-root', testbed.root, ...ENGINE] });
    const replaces = scriptPrompt(
      { shell: `mv build old; ln -s ${testbed.outside} build` },
      { shell: 'touch build/by-link' },
      { shell: `touch ${testbed.outside}/by-name` },
    );
    const reported = await client.failure('codex_start', { ...FREE, prompt: replaces, waitSeconds: 30 });

    expect(reported).toContain('could replace the inner folder with a link');
    expect(readdirSync(testbed.outside)).toEqual([]);
  },
);

testWith('current')(
  "a permission profile of the user's own is not compared, so it is refused under limits",
  async () => {
    const extra = { default_permissions: 'mine', permissions: { mine: OPEN } };
    await using testbed = await openLimitedTestbed(processes, { extra });
    const client = await testbed.serve({
      args: ['--approvals', 'none', ...ENGINE],
      env: { SWITCHBOARD_HOME: testbed.own },
    });
    const start = { skipGitRepoCheck: true, prompt: runs(`touch ${testbed.outside}/written`), waitSeconds: 30 };

    expect(await client.failure('codex_start', start)).toContain('the permission profile mine');
    expect(await client.call('codex_start', { ...start, sandbox: 'workspace-write' })).toMatchObject({
      status: 'done',
    });
    expect(readdirSync(testbed.outside)).toEqual([]);
  },
);

testWith('current').each([
  ['chooses', { default_permissions: 'read' }, 'default_permissions = "open"\n'],
  ['redefines', { default_permissions: 'open' }, ''],
])('a caller does not leave the sandbox by a profile that %s permissions', async (_, chosen, first) => {
  const reads = { filesystem: { ':minimal': 'read' } };
  const extra = { ...chosen, permissions: { read: reads, open: reads } };
  await using testbed = await openLimitedTestbed(processes, { extra });
  const open = '[permissions.open.filesystem]\n":root" = "write"\n[permissions.open.network]\nenabled = true\n';
  writeFileSync(join(testbed.home.codexDir, 'wide.config.toml'), first + open);
  const client = await testbed.serve({ args: ENGINE, env: { SWITCHBOARD_HOME: testbed.own } });
  const start = { skipGitRepoCheck: true, prompt: runs(`touch ${testbed.outside}/written`), waitSeconds: 30 };

  expect(await client.failure('codex_start', { ...start, profile: 'wide' })).toContain('--allow-dangerous');
  expect(await client.call('codex_start', { ...start, config: { model_verbosity: 'low' } })).toMatchObject({
    status: 'done',
  });
  expect(readdirSync(testbed.outside)).toEqual([]);
});

testWith('current')('the permissions :workspace open /tmp, whatever the limits say of it', async () => {
  await using testbed = await openLimitedTestbed(processes, { extra: { default_permissions: ':workspace' } });
  const own = mkdtempSync('/tmp/switchboard-own-');
  try {
    const args = ['--allow-root', testbed.root, '--approvals', 'none', ...ENGINE];
    const client = await testbed.serve({ args, env: { SWITCHBOARD_HOME: own } });
    const start = { skipGitRepoCheck: true, prompt: runs(`touch ${own}/planted`), waitSeconds: 30 };
    const reported = await client.result('codex_start', start);
    await client.close();

    expect(readdirSync(own)).not.toContain('planted');
    expect(JSON.stringify(reported)).toContain('a folder of Switchboard itself');
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});

testWith('current')('the files that Codex is given for a turn cannot be changed by a session', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const temporary = join(testbed.home.rootDir, 'tmp');
  mkdirSync(temporary);
  const client = await testbed.limited({ args: ['--allow-root', testbed.root, ...ENGINE], env: { TMPDIR: temporary } });
  const lists = `find ${temporary} -name instructions.md > temporary; ls ${testbed.own}/codex-exec/* > given`;
  const changes = `for file in ${testbed.own}/codex-exec/*/*; do echo changed > $file && touch changed; done`;
  const prompt = scriptPrompt({ shell: `${lists}; ${changes}` });
  await client.call('codex_start', { ...FREE, baseInstructions: 'Be careful.', prompt, waitSeconds: 30 });

  const read = (name: string) => readFile(join(testbed.root, name), 'utf8');
  expect([await read('temporary'), await read('given')]).toEqual(['', 'instructions.md\n']);
  expect(readdirSync(testbed.root)).not.toContain('changed');
  expect(readdirSync(join(testbed.own, 'codex-exec'))).toEqual([]);
});
