import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexRelease, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const ENGINES = ['app-server', 'exec'];
const PATH = process.env['PATH'] ?? '';
const START = { ...FREE, prompt: scriptPrompt(), waitSeconds: 30 };
const envFile = (testbed: LimitedTestbed) => join(testbed.home.codexDir, '.env');
const open = (testbed: LimitedTestbed, engine: string) =>
  testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine] });

test.each(ENGINES)("PATH in Codex's .env cannot make Codex start a planted program: %s", async (engine) => {
  await using testbed = await openLimitedTestbed(processes);
  const [bin, other] = [join(testbed.root, 'bin'), join(testbed.root, 'other')];
  for (const folder of [bin, other]) mkdirSync(folder);
  writeFileSync(join(testbed.root, 'program'), `#!/bin/sh\necho "$0" >> ${testbed.outside}/ran\nexit 1\n`);
  const first = await open(testbed, engine);
  const plants = runs(`for name in git bwrap; do cp program bin/$name; chmod +x bin/$name; done`);
  await first.call('codex_start', { ...START, prompt: plants });
  await first.close();
  writeFileSync(envFile(testbed), `# mine\nexport PATH="${bin}:$PATH"\n`);
  const client = await open(testbed, engine);
  const reported = await client.failure('codex_start', { ...START, workingDirectory: other });

  expect(readdirSync(bin)).toEqual(['bwrap', 'git']);
  expect(reported).toContain(`${envFile(testbed)}:2 puts ${bin} into PATH`);
  expect(readdirSync(testbed.outside)).toEqual([]);
  // The file is checked again at the next start.
  rmSync(envFile(testbed));
  expect(await client.call('codex_start', { ...START, workingDirectory: other })).toMatchObject({ status: 'done' });
});

test("variables in Codex's .env that would undo the limits are refused", async () => {
  await using testbed = await openLimitedTestbed(processes);
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
  const client = await open(testbed, 'exec');
  const reported: string[] = [];
  for (const name of refused) {
    writeFileSync(envFile(testbed), `${name}=/somewhere\n`);
    reported.push(await client.failure('codex_start', START));
  }
  expect(reported).toEqual(refused.map((name) => expect.stringContaining(`${envFile(testbed)}:1 sets ${name}.`)));
  writeFileSync(
    envFile(testbed),
    `OPENAI_API_KEY=key\nCODEX_X=1\nMY_PATH=bin\nPATH='${PATH}'\nPATH=/opt/bin:\${PATH}\n`,
  );
  for (const engine of ENGINES)
    expect(await (await open(testbed, engine)).call('codex_start', START)).toMatchObject({ status: 'done' });
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

test.each<CodexRelease>(['current', 'previous', 'old'])(
  'detects every spelling that Codex accepts: %s',
  async (release) => {
    await using testbed = await openLimitedTestbed(processes, { release });
    writeFileSync(envFile(testbed), `${SPELLINGS.map(([line]) => line).join('\n')}\n`);
    const { command, args } = findCodex(release);
    const sandbox = ['sandbox', ...(release === 'old' ? ['linux'] : []), 'env', '-0'];
    const { stdout } = spawnSync(command, [...args, ...sandbox], {
      env: testbed.env(),
      encoding: 'utf8',
      timeout: 30_000,
    });
    const accepted = stdout.split('\0').flatMap((entry) => /^GIT_(\d)=/.exec(entry)?.[1] ?? []);
    expect(accepted.toSorted()).toEqual(SPELLINGS.flatMap(([, isAccepted], index) => (isAccepted ? [`${index}`] : [])));
    const client = await open(testbed, 'exec');
    for (const [line, isAccepted] of SPELLINGS.filter(([spelling]) => !spelling.startsWith('A='))) {
      writeFileSync(envFile(testbed), `${line}\n`);
      const { isError = false } = await client.result('codex_start', START);
      expect([line, isError]).toEqual([line, isAccepted]);
    }
  },
);
