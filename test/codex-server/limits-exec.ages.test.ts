import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { expect, test, vi } from 'vitest';
import { runsCodex, testWith } from '../codex/ages.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedWorld, openLimitedWorld, plays, runs } from './limits-world.ts';
import { type CodexAge, FREE } from './world.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const ENGINE = ['--engine', 'exec'];
const OPEN = { filesystem: { ':root': 'write' }, network: { enabled: true } };

/** `codex exec` does not report the permissions of a turn, so they must all be derived from the configuration. */
async function addRoot(world: LimitedWorld, root: string): Promise<void> {
  const config = join(world.home.codexDir, 'config.toml');
  await writeFile(
    config,
    `${await readFile(config, 'utf8')}\n[sandbox_workspace_write]\nwritable_roots = ["${root}"]\n`,
  );
}

const SPELLINGS: readonly [CodexAge, string, (folder: string, codexHome: string) => string][] = [
  ['today', 'absolute', (folder) => folder],
  ['middle', 'absolute', (folder) => folder],
  ['old', 'absolute', (folder) => folder],
  ['today', 'relative', (folder, codexHome) => relative(codexHome, folder)],
  ['today', 'below the home folder', (folder, codexHome) => `~/${relative(join(codexHome, '..'), folder)}`],
];

test.each(SPELLINGS.filter(([age]) => runsCodex(age)))(
  "a session cannot replace a folder that the user's config makes writable: %s, %s",
  async (age, _, spelled) => {
    await using world = await openLimitedWorld(processes, { age });
    const inner = join(world.root, 'build');
    mkdirSync(inner);
    await addRoot(world, spelled(inner, world.home.codexDir));
    const client = await world.limited({ args: ['--allow-root', world.root, ...ENGINE] });
    const replaces = plays(
      { shell: `mv build old; ln -s ${world.outside} build` },
      { shell: 'touch build/by-link' },
      { shell: `touch ${world.outside}/by-name` },
    );
    const told = await client.failure('codex_start', { ...FREE, prompt: replaces, waitSeconds: 30 });

    expect(told).toContain('could replace the inner folder with a link');
    expect(readdirSync(world.outside)).toEqual([]);
  },
);

testWith('today')("a permission profile of the user's own is not compared, so it is refused under limits", async () => {
  const extra = { default_permissions: 'mine', permissions: { mine: OPEN } };
  await using world = await openLimitedWorld(processes, { extra });
  const client = await world.serve({ args: ['--approvals', 'none', ...ENGINE], env: { SWITCHBOARD_HOME: world.own } });
  const start = { skipGitRepoCheck: true, prompt: runs(`touch ${world.outside}/written`), waitSeconds: 30 };

  expect(await client.failure('codex_start', start)).toContain('the permission profile mine');
  expect(await client.call('codex_start', { ...start, sandbox: 'workspace-write' })).toMatchObject({ status: 'done' });
  expect(readdirSync(world.outside)).toEqual([]);
});

testWith('today').each([
  ['chooses', { default_permissions: 'read' }, 'default_permissions = "open"\n'],
  ['redefines', { default_permissions: 'open' }, ''],
])('a caller does not leave the sandbox by a profile that %s permissions', async (_, chosen, first) => {
  const reads = { filesystem: { ':minimal': 'read' } };
  const extra = { ...chosen, permissions: { read: reads, open: reads } };
  await using world = await openLimitedWorld(processes, { extra });
  const open = '[permissions.open.filesystem]\n":root" = "write"\n[permissions.open.network]\nenabled = true\n';
  writeFileSync(join(world.home.codexDir, 'wide.config.toml'), first + open);
  const client = await world.serve({ args: ENGINE, env: { SWITCHBOARD_HOME: world.own } });
  const start = { skipGitRepoCheck: true, prompt: runs(`touch ${world.outside}/written`), waitSeconds: 30 };

  expect(await client.failure('codex_start', { ...start, profile: 'wide' })).toContain('--allow-dangerous');
  expect(await client.call('codex_start', { ...start, config: { model_verbosity: 'low' } })).toMatchObject({
    status: 'done',
  });
  expect(readdirSync(world.outside)).toEqual([]);
});

testWith('today')('the permissions :workspace open /tmp, whatever the limits say of it', async () => {
  await using world = await openLimitedWorld(processes, { extra: { default_permissions: ':workspace' } });
  const own = mkdtempSync('/tmp/switchboard-own-');
  try {
    const args = ['--allow-root', world.root, '--approvals', 'none', ...ENGINE];
    const client = await world.serve({ args, env: { SWITCHBOARD_HOME: own } });
    const start = { skipGitRepoCheck: true, prompt: runs(`touch ${own}/planted`), waitSeconds: 30 };
    const told = await client.result('codex_start', start);
    await client.close();

    expect(readdirSync(own)).not.toContain('planted');
    expect(JSON.stringify(told)).toContain('a folder of Switchboard itself');
  } finally {
    rmSync(own, { recursive: true, force: true });
  }
});

testWith('today')('the files that Codex is given for a turn cannot be changed by a session', async () => {
  await using world = await openLimitedWorld(processes);
  const temporary = join(world.home.rootDir, 'tmp');
  mkdirSync(temporary);
  const client = await world.limited({ args: ['--allow-root', world.root, ...ENGINE], env: { TMPDIR: temporary } });
  const lists = `find ${temporary} -name instructions.md > temporary; ls ${world.own}/codex-exec/* > given`;
  const changes = `for file in ${world.own}/codex-exec/*/*; do echo changed > $file && touch changed; done`;
  const prompt = plays({ shell: `${lists}; ${changes}` });
  await client.call('codex_start', { ...FREE, baseInstructions: 'Be careful.', prompt, waitSeconds: 30 });

  const read = (name: string) => readFile(join(world.root, name), 'utf8');
  expect([await read('temporary'), await read('given')]).toEqual(['', 'instructions.md\n']);
  expect(readdirSync(world.root)).not.toContain('changed');
  expect(readdirSync(join(world.own, 'codex-exec'))).toEqual([]);
});
