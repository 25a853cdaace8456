import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { type LimitedWorld, openLimitedWorld, plays, runs } from './limits-world.ts';
import { type CodexAge, type CodexClient, FREE } from './world.ts';

/** Folders that the user's own config makes writable for every session, and the temporary folders. */
vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const ENGINES = ['app-server', 'exec'];
const RUNS = (['today', 'old'] as CodexAge[]).flatMap((age) => ENGINES.map((engine) => [age, engine] as const));

const temporary: string[] = [];
afterEach(() => {
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const open = (world: LimitedWorld, engine: string, env: Record<string, string> = {}) =>
  world.limited({ args: ['--allow-root', world.root, '--engine', engine], env });

const start = (client: CodexClient, prompt: string, more: object = {}) =>
  client.result('codex_start', { ...FREE, prompt, waitSeconds: 50, ...more });

/** Adds to the user's own Codex config. */
function makeWritable({ home }: LimitedWorld, folder: string): void {
  const file = join(home.codexDir, 'config.toml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n[sandbox_workspace_write]\nwritable_roots = ["${folder}"]\n`);
}

const written = ({ outside }: LimitedWorld) => readdirSync(outside);

const DENIED = (text: string) => ({ isError: true, content: [{ text: expect.stringContaining(text) }] });

test.each(ENGINES)(
  'a folder that contains our cache is refused, and the error names the setting: %s',
  async (engine) => {
    await using world = await openLimitedWorld(processes);
    const cache = join(world.home.rootDir, '.cache');
    mkdirSync(cache);
    makeWritable(world, cache);
    const client = await open(world, engine, { SWITCHBOARD_HOME: '' });
    const bin = `${cache}/switchboard/npm/node_modules/.bin`;
    const refused = await start(client, runs(`mkdir -p ${bin}; touch ${bin}/planted`));
    expect(refused).toMatchObject(DENIED('Remove it from sandbox_workspace_write.writable_roots in your Codex config'));
    expect(readdirSync(cache)).not.toContain('npm');
  },
);

test.each(ENGINES)('a folder that contains the target of a symlinked config.toml is refused: %s', async (engine) => {
  await using world = await openLimitedWorld(processes);
  const dotfiles = join(world.home.rootDir, 'dotfiles');
  mkdirSync(dotfiles);
  makeWritable(world, dotfiles);
  const file = join(world.home.codexDir, 'config.toml');
  renameSync(file, join(dotfiles, 'config.toml'));
  symlinkSync(join(dotfiles, 'config.toml'), file);
  const client = await open(world, engine);
  expect(await start(client, runs(`touch ${dotfiles}/written`))).toMatchObject(DENIED(dotfiles));
  expect(readdirSync(dotfiles)).toEqual(['config.toml']);
});

test.each(RUNS)(
  'a folder reached through a symlink that a session can replace is refused: %s %s',
  async (age, engine) => {
    await using world = await openLimitedWorld(processes, { age });
    const [real, sub, named] = [
      join(world.home.rootDir, 'real'),
      join(world.root, 'sub'),
      join(world.home.rootDir, 'w'),
    ];
    for (const folder of [real, sub]) mkdirSync(folder);
    symlinkSync(real, join(sub, 'w2'));
    symlinkSync(join(sub, 'w2'), named);
    makeWritable(world, named);
    const client = await open(world, engine);
    const inSub = { workingDirectory: sub };
    expect(await start(client, runs(`rm w2; ln -s ${world.outside} w2`), inSub)).toMatchObject(DENIED(join(sub, 'w2')));
    await start(client, runs(`touch ${world.outside}/escaped`), inSub);
    expect(written(world)).toEqual([]);
  },
);

test.each(RUNS)(
  'TMPDIR reached through a symlink that a session can replace is not writable: %s %s',
  async (age, engine) => {
    await using world = await openLimitedWorld(processes, { age });
    const [real, sub, named] = [
      join(world.home.rootDir, 'real'),
      join(world.root, 'sub'),
      join(world.home.rootDir, 't'),
    ];
    for (const folder of [real, sub]) mkdirSync(folder);
    symlinkSync(real, join(sub, 't2'));
    symlinkSync(join(sub, 't2'), named);
    const client = await open(world, engine, { TMPDIR: named });
    await start(client, runs(`rm t2; ln -s ${world.outside} t2`), { workingDirectory: sub });
    await start(client, runs(`touch ${world.outside}/escaped`), { workingDirectory: sub });
    expect(written(world)).toEqual([]);
  },
);

test.each(RUNS)('a granted folder in /tmp cannot be replaced with a symlink: %s %s', async (age, engine) => {
  await using world = await openLimitedWorld(processes, { age });
  const folder = mkdtempSync('/tmp/switchboard-granted-');
  temporary.push(folder);
  const granted = join(folder, 'cache');
  makeWritable(world, granted);
  const client = await open(world, engine);
  await start(client, plays({ shell: `ln -s ${world.outside} ${granted}` }));
  await start(client, runs(`touch ${world.outside}/escaped ${granted}/escaped`));
  expect(written(world)).toEqual([]);
});
