import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { codexReleases, testWith } from '../codex/releases.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const ENGINES = ['app-server', 'exec'];
const RULE = 'prefix_rule(pattern=["touch"], decision="allow")';
const written = (testbed: LimitedTestbed) => readdirSync(testbed.outside);
const escapes = (testbed: LimitedTestbed) => ({
  ...FREE,
  prompt: runs(`touch ${testbed.outside}/ran`),
  waitSeconds: 30,
});

function open(testbed: LimitedTestbed, engine: string, env: Readonly<Record<string, string>> = {}) {
  return testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine], env });
}

function addRules(folder: string): void {
  mkdirSync(join(folder, '.codex', 'rules'), { recursive: true });
  writeFileSync(join(folder, '.codex', 'rules', 'x.rules'), RULE);
}

testWith('old').each(ENGINES)(
  'an old Codex starts no session where another one has planted rules: %s',
  async (engine) => {
    await using testbed = await openLimitedTestbed(processes, { release: 'old' });
    const sub = join(testbed.root, 'sub');
    mkdirSync(sub);
    const client = await open(testbed, engine);
    const plants = runs(`mkdir -p sub/.codex/rules; echo '${RULE}' > sub/.codex/rules/x.rules`);
    await client.call('codex_start', { ...FREE, prompt: plants, waitSeconds: 30 });
    const reported = await client.failure('codex_start', { ...escapes(testbed), workingDirectory: sub });

    expect(readFileSync(join(sub, '.codex/rules/x.rules'), 'utf8')).toContain('prefix_rule');
    expect(reported).toContain(
      `Codex 0.92.0 might apply the rules in ${sub}/.codex/rules, which a session may have written, and run commands outside of the sandbox. Remove ${sub}/.codex/rules, or update Codex to 0.128 or newer: npm install -g @openai/codex@latest`,
    );
    expect(written(testbed)).toEqual([]);
  },
);

testWith('old').each<[string, (folder: string, elsewhere: string) => void]>([
  ['in a folder above', (folder) => addRules(dirname(folder))],
  [
    'behind a link',
    (folder, elsewhere) => {
      addRules(elsewhere);
      mkdirSync(join(folder, '.codex'));
      symlinkSync(join(elsewhere, '.codex', 'rules'), join(folder, '.codex', 'rules'));
    },
  ],
  ['behind a link that leads nowhere yet', (folder, elsewhere) => symlinkSync(elsewhere, join(folder, '.codex'))],
])('an old Codex starts no session with rules %s', async (_, plant) => {
  await using testbed = await openLimitedTestbed(processes, { release: 'old' });
  const sub = join(testbed.root, 'sub');
  mkdirSync(sub);
  plant(sub, join(testbed.home.rootDir, 'elsewhere'));
  for (const engine of ENGINES) {
    const client = await open(testbed, engine);
    const reported = await client.failure('codex_start', { ...escapes(testbed), workingDirectory: sub });
    expect([engine, reported]).toEqual([engine, expect.stringContaining('Codex 0.92.0 might apply the rules in ')]);
  }
  expect(written(testbed)).toEqual([]);
});

testWith('old').each(ENGINES)('an old Codex starts no turn after rules were planted: %s', async (engine) => {
  await using testbed = await openLimitedTestbed(processes, { release: 'old' });
  const client = await open(testbed, engine);
  const { sessionId } = await client.call('codex_start', { ...FREE, prompt: scriptPrompt(), waitSeconds: 30 });
  addRules(testbed.root);
  const say = { sessionId, message: runs(`touch ${testbed.outside}/ran`), waitSeconds: 30 };

  expect(await client.failure('codex_say', say)).toContain(`the rules in ${testbed.root}/.codex/rules`);
  expect(await client.failure('codex_fork', { sessionId })).toContain(`the rules in ${testbed.root}/.codex/rules`);
  rmSync(join(testbed.root, '.codex', 'rules'), { recursive: true });
  expect(await client.call('codex_say', say)).toMatchObject({ status: 'done' });
  expect(written(testbed)).toEqual([]);
});

testWith('old').each(ENGINES)(
  'an old Codex starts no agents, because they would read rules that their session planted: %s',
  async (engine) => {
    const extra = { features: { collab: true } };
    await using testbed = await openLimitedTestbed(processes, { release: 'old', model: 'mystery-1', extra });
    mkdirSync(join(testbed.root, '.codex'));
    const client = await open(testbed, engine);
    const agent = runs(`touch ${testbed.outside}/ran`);
    const prompt = scriptPrompt(
      { shell: `mkdir .codex/rules; echo '${RULE}' > .codex/rules/x.rules` },
      { tool: { name: 'spawn_agent', arguments: { message: agent } } },
      // Time for an agent to act.
      { shell: 'sleep 3' },
    );
    await client.call('codex_start', { ...FREE, prompt, waitSeconds: 30 });

    expect(readdirSync(join(testbed.root, '.codex', 'rules'))).toEqual(['x.rules']);
    expect(written(testbed)).toEqual([]);
  },
);

testWith('old')('a Codex of unknown version counts as an old one', async () => {
  await using testbed = await openLimitedTestbed(processes, { release: 'old' });
  const program = join(testbed.home.rootDir, 'codex-wrapped');
  const reported = `if [ "$1" = --version ]; then echo codex; exit; fi`;
  writeFileSync(program, `#!/bin/sh\n${reported}\nexec '${findCodex('old').command}' "$@"\n`);
  chmodSync(program, 0o755);
  addRules(testbed.root);
  // The app-server reports its version itself, when it is initialized.
  const client = await open(testbed, 'exec', { CODEX_CLI_PATH: program });

  expect(await client.failure('codex_start', escapes(testbed))).toContain('might apply the rules in ');
  expect(written(testbed)).toEqual([]);
});

testWith('old').each(ENGINES)("the user's own rules do not prevent a session: %s", async (engine) => {
  await using testbed = await openLimitedTestbed(processes, { release: 'old' });
  const own = join(testbed.home.rootDir, '.codex');
  symlinkSync(testbed.home.codexDir, own);
  mkdirSync(join(own, 'rules'));
  const client = await open(testbed, engine, { CODEX_HOME: own });

  expect(await client.call('codex_start', { ...FREE, prompt: scriptPrompt(), waitSeconds: 30 })).toMatchObject({
    status: 'done',
  });
});

test.each(
  codexReleases('current', 'previous').flatMap((release) => ENGINES.map((engine) => [release, engine] as const)),
)('a newer Codex ignores planted rules: %s, %s', async (release, engine) => {
  await using testbed = await openLimitedTestbed(processes, { release });
  addRules(testbed.root);
  const client = await open(testbed, engine);

  expect(await client.call('codex_start', escapes(testbed))).toMatchObject({ status: 'done' });
  expect(written(testbed)).toEqual([]);
});
