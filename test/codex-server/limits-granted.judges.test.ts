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
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexClient, type CodexRelease, FREE } from './testbed.ts';

/** Folders that the user's own config makes writable for every session, and the temporary folders. */
vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const ENGINES = ['app-server', 'exec'];
const RUNS = (['current', 'old'] as CodexRelease[]).flatMap((release) =>
  ENGINES.map((engine) => [release, engine] as const),
);

const temporary: string[] = [];
afterEach(() => {
  for (const folder of temporary.splice(0)) rmSync(folder, { recursive: true, force: true });
});

const open = (testbed: LimitedTestbed, engine: string, env: Record<string, string> = {}) =>
  testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine], env });

const start = (client: CodexClient, prompt: string, more: object = {}) =>
  client.result('codex_start', { ...FREE, prompt, waitSeconds: 50, ...more });

/** Adds to the user's own Codex config. */
function makeWritable({ home }: LimitedTestbed, folder: string): void {
  const file = join(home.codexDir, 'config.toml');
  writeFileSync(file, `${readFileSync(file, 'utf8')}\n[sandbox_workspace_write]\nwritable_roots = ["${folder}"]\n`);
}

const written = ({ outside }: LimitedTestbed) => readdirSync(outside);

const DENIED = (text: string) => ({ isError: true, content: [{ text: expect.stringContaining(text) }] });

test.each(ENGINES)(
  'a folder that contains our cache is refused, and the error names the setting: %s',
  async (engine) => {
    await using testbed = await openLimitedTestbed(processes);
    const cache = join(testbed.home.rootDir, '.cache');
    mkdirSync(cache);
    makeWritable(testbed, cache);
    const client = await open(testbed, engine, { SWITCHBOARD_HOME: '' });
    const bin = `${cache}/switchboard/npm/node_modules/.bin`;
    const refused = await start(client, runs(`mkdir -p ${bin}; touch ${bin}/planted`));
    expect(refused).toMatchObject(DENIED('Remove it from sandbox_workspace_write.writable_roots in your Codex config'));
    expect(readdirSync(cache)).not.toContain('npm');
  },
);

test.each(ENGINES)('a folder that contains the target of a symlinked config.toml is refused: %s', async (engine) => {
  await using testbed = await openLimitedTestbed(processes);
  const dotfiles = join(testbed.home.rootDir, 'dotfiles');
  mkdirSync(dotfiles);
  makeWritable(testbed, dotfiles);
  const file = join(testbed.home.codexDir, 'config.toml');
  renameSync(file, join(dotfiles, 'config.toml'));
  symlinkSync(join(dotfiles, 'config.toml'), file);
  const client = await open(testbed, engine);
  expect(await start(client, runs(`touch ${dotfiles}/written`))).toMatchObject(DENIED(dotfiles));
  expect(readdirSync(dotfiles)).toEqual(['config.toml']);
});

test.each(RUNS)(
  'a folder reached through a symlink that a session can replace is refused: %s %s',
  async (release, engine) => {
    await using testbed = await openLimitedTestbed(processes, { release });
    const [real, sub, named] = [
      join(testbed.home.rootDir, 'real'),
      join(testbed.root, 'sub'),
      join(testbed.home.rootDir, 'w'),
    ];
    for (const folder of [real, sub]) mkdirSync(folder);
    symlinkSync(real, join(sub, 'w2'));
    symlinkSync(join(sub, 'w2'), named);
    makeWritable(testbed, named);
    const client = await open(testbed, engine);
    const inSub = { workingDirectory: sub };
    expect(await start(client, runs(`rm w2; ln -s ${testbed.outside} w2`), inSub)).toMatchObject(
      DENIED(join(sub, 'w2')),
    );
    await start(client, runs(`touch ${testbed.outside}/escaped`), inSub);
    expect(written(testbed)).toEqual([]);
  },
);

test.each(RUNS)(
  'TMPDIR reached through a symlink that a session can replace is not writable: %s %s',
  async (release, engine) => {
    await using testbed = await openLimitedTestbed(processes, { release });
    const [real, sub, named] = [
      join(testbed.home.rootDir, 'real'),
      join(testbed.root, 'sub'),
      join(testbed.home.rootDir, 't'),
    ];
    for (const folder of [real, sub]) mkdirSync(folder);
    symlinkSync(real, join(sub, 't2'));
    symlinkSync(join(sub, 't2'), named);
    const client = await open(testbed, engine, { TMPDIR: named });
    await start(client, runs(`rm t2; ln -s ${testbed.outside} t2`), { workingDirectory: sub });
    await start(client, runs(`touch ${testbed.outside}/escaped`), { workingDirectory: sub });
    expect(written(testbed)).toEqual([]);
  },
);

test.each(RUNS)('a granted folder in /tmp cannot be replaced with a symlink: %s %s', async (release, engine) => {
  await using testbed = await openLimitedTestbed(processes, { release });
  const folder = mkdtempSync('/tmp/switchboard-granted-');
  temporary.push(folder);
  const granted = join(folder, 'cache');
  makeWritable(testbed, granted);
  const client = await open(testbed, engine);
  await start(client, scriptPrompt({ shell: `ln -s ${testbed.outside} ${granted}` }));
  await start(client, runs(`touch ${testbed.outside}/escaped ${granted}/escaped`));
  expect(written(testbed)).toEqual([]);
});
