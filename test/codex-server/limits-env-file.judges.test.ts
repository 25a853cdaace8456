import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedWorld, openLimitedWorld, plays, runs } from './limits-world.ts';
import { type CodexAge, FREE } from './world.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const ENGINES = ['app-server', 'exec'];
const PATH = process.env['PATH'] ?? '';
const START = { ...FREE, prompt: plays(), waitSeconds: 30 };
const envFile = (world: LimitedWorld) => join(world.home.codexDir, '.env');
const open = (world: LimitedWorld, engine: string) =>
  world.limited({ args: ['--allow-root', world.root, '--engine', engine] });

test.each(ENGINES)("PATH in Codex's .env cannot make Codex start a planted program: %s", async (engine) => {
  await using world = await openLimitedWorld(processes);
  const [bin, other] = [join(world.root, 'bin'), join(world.root, 'other')];
  for (const folder of [bin, other]) mkdirSync(folder);
  writeFileSync(join(world.root, 'program'), `#!/bin/sh\necho "$0" >> ${world.outside}/ran\nexit 1\n`);
  const first = await open(world, engine);
  const plants = runs(`for name in git bwrap; do cp program bin/$name; chmod +x bin/$name; done`);
  await first.call('codex_start', { ...START, prompt: plants });
  await first.close();
  writeFileSync(envFile(world), `# mine\nexport PATH="${bin}:$PATH"\n`);
  const client = await open(world, engine);
  const told = await client.failure('codex_start', { ...START, workingDirectory: other });

  expect(readdirSync(bin)).toEqual(['bwrap', 'git']);
  expect(told).toContain(`${envFile(world)}:2 puts ${bin} into PATH`);
  expect(readdirSync(world.outside)).toEqual([]);
  // The file is checked again at the next start.
  rmSync(envFile(world));
  expect(await client.call('codex_start', { ...START, workingDirectory: other })).toMatchObject({ status: 'done' });
});

test("variables in Codex's .env that would undo the limits are refused", async () => {
  await using world = await openLimitedWorld(processes);
  const refused = [
    'GIT_DIR',
    'TMPDIR',
    'TMP',
    'TEMP',
    'LD_PRELOAD',
    'DYLD_X',
    'BASH_ENV',
    'ENV',
    'NODE_OPTIONS',
    'HOME',
  ];
  const client = await open(world, 'exec');
  const told: string[] = [];
  for (const name of refused) {
    writeFileSync(envFile(world), `${name}=/somewhere\n`);
    told.push(await client.failure('codex_start', START));
  }
  expect(told).toEqual(refused.map((name) => expect.stringContaining(`${envFile(world)}:1 sets ${name}.`)));
  writeFileSync(envFile(world), `OPENAI_API_KEY=key\nCODEX_X=1\nMY_PATH=bin\nPATH='${PATH}'\nPATH=/opt/bin:\${PATH}\n`);
  for (const engine of ENGINES)
    expect(await (await open(world, engine)).call('codex_start', START)).toMatchObject({ status: 'done' });
});

/** Spellings of `GIT_<number>=…`, and whether Codex accepts them. */
const SPELLINGS: readonly (readonly [string, boolean])[] = [
  ['GIT_0=x', true],
  ['export GIT_1=x', true],
  [' \texport\tGIT_2 = "x y" # why', true],
  ["GIT_3='x'", true],
  ['GIT_4=', true],
  ['\u0085\u00a0GIT_5=x\r', true],
  ['A="\nGIT_6=x"', false],
  ['# GIT_7=x', false],
  ['"GIT_8"=x', false],
  ['unexport GIT_9=x', false],
];

test.each<CodexAge>(['today', 'middle', 'old'])('detects every spelling that Codex accepts: %s', async (age) => {
  await using world = await openLimitedWorld(processes, { age });
  writeFileSync(envFile(world), `${SPELLINGS.map(([line]) => line).join('\n')}\n`);
  const { command, args } = findCodex(age);
  const sandbox = ['sandbox', ...(age === 'old' ? ['linux'] : []), 'env', '-0'];
  const { stdout } = spawnSync(command, [...args, ...sandbox], { env: world.env(), encoding: 'utf8', timeout: 30_000 });
  const accepted = stdout.split('\0').flatMap((entry) => /^GIT_(\d)=/.exec(entry)?.[1] ?? []);
  expect(accepted.toSorted()).toEqual(SPELLINGS.flatMap(([, isAccepted], index) => (isAccepted ? [`${index}`] : [])));
  const client = await open(world, 'exec');
  for (const [line, isAccepted] of SPELLINGS.filter(([spelling]) => !spelling.startsWith('A='))) {
    writeFileSync(envFile(world), `${line}\n`);
    const { isError = false } = await client.result('codex_start', START);
    expect([line, isError]).toEqual([line, isAccepted]);
  }
});
