import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { codexAges, testWith } from '../codex/ages.ts';
import { findCodex } from '../codex/codex-binary.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedWorld, openLimitedWorld, plays, runs } from './limits-world.ts';
import { FREE } from './world.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const ENGINES = ['app-server', 'exec'];
const RULE = 'prefix_rule(pattern=["touch"], decision="allow")';
const written = (world: LimitedWorld) => readdirSync(world.outside);
const escapes = (world: LimitedWorld) => ({ ...FREE, prompt: runs(`touch ${world.outside}/ran`), waitSeconds: 30 });

function open(world: LimitedWorld, engine: string, env: Readonly<Record<string, string>> = {}) {
  return world.limited({ args: ['--allow-root', world.root, '--engine', engine], env });
}

function addRules(folder: string): void {
  mkdirSync(join(folder, '.codex', 'rules'), { recursive: true });
  writeFileSync(join(folder, '.codex', 'rules', 'x.rules'), RULE);
}

testWith('old').each(ENGINES)(
  'an old Codex starts no session where another one has planted rules: %s',
  async (engine) => {
    await using world = await openLimitedWorld(processes, { age: 'old' });
    const sub = join(world.root, 'sub');
    mkdirSync(sub);
    const client = await open(world, engine);
    const plants = runs(`mkdir -p sub/.codex/rules; echo '${RULE}' > sub/.codex/rules/x.rules`);
    await client.call('codex_start', { ...FREE, prompt: plants, waitSeconds: 30 });
    const told = await client.failure('codex_start', { ...escapes(world), workingDirectory: sub });

    expect(readFileSync(join(sub, '.codex/rules/x.rules'), 'utf8')).toContain('prefix_rule');
    expect(told).toContain(
      `Codex 0.92.0 might apply the rules in ${sub}/.codex/rules, which a session may have written, and run commands outside of the sandbox. Remove ${sub}/.codex/rules, or update Codex to 0.128 or newer: npm install -g @openai/codex@latest`,
    );
    expect(written(world)).toEqual([]);
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
  await using world = await openLimitedWorld(processes, { age: 'old' });
  const sub = join(world.root, 'sub');
  mkdirSync(sub);
  plant(sub, join(world.home.rootDir, 'elsewhere'));
  for (const engine of ENGINES) {
    const client = await open(world, engine);
    const told = await client.failure('codex_start', { ...escapes(world), workingDirectory: sub });
    expect([engine, told]).toEqual([engine, expect.stringContaining('Codex 0.92.0 might apply the rules in ')]);
  }
  expect(written(world)).toEqual([]);
});

testWith('old').each(ENGINES)('an old Codex starts no turn after rules were planted: %s', async (engine) => {
  await using world = await openLimitedWorld(processes, { age: 'old' });
  const client = await open(world, engine);
  const { sessionId } = await client.call('codex_start', { ...FREE, prompt: plays(), waitSeconds: 30 });
  addRules(world.root);
  const say = { sessionId, message: runs(`touch ${world.outside}/ran`), waitSeconds: 30 };

  expect(await client.failure('codex_say', say)).toContain(`the rules in ${world.root}/.codex/rules`);
  expect(await client.failure('codex_fork', { sessionId })).toContain(`the rules in ${world.root}/.codex/rules`);
  rmSync(join(world.root, '.codex', 'rules'), { recursive: true });
  expect(await client.call('codex_say', say)).toMatchObject({ status: 'done' });
  expect(written(world)).toEqual([]);
});

testWith('old').each(ENGINES)(
  'an old Codex starts no agents, because they would read rules that their session planted: %s',
  async (engine) => {
    const extra = { features: { collab: true } };
    await using world = await openLimitedWorld(processes, { age: 'old', model: 'mystery-1', extra });
    mkdirSync(join(world.root, '.codex'));
    const client = await open(world, engine);
    const agent = runs(`touch ${world.outside}/ran`);
    const prompt = plays(
      { shell: `mkdir .codex/rules; echo '${RULE}' > .codex/rules/x.rules` },
      { tool: { name: 'spawn_agent', arguments: { message: agent } } },
      // Time for an agent to act.
      { shell: 'sleep 3' },
    );
    await client.call('codex_start', { ...FREE, prompt, waitSeconds: 30 });

    expect(readdirSync(join(world.root, '.codex', 'rules'))).toEqual(['x.rules']);
    expect(written(world)).toEqual([]);
  },
);

testWith('old')('a Codex of unknown version counts as an old one', async () => {
  await using world = await openLimitedWorld(processes, { age: 'old' });
  const program = join(world.home.rootDir, 'codex-wrapped');
  const told = `if [ "$1" = --version ]; then echo codex; exit; fi`;
  writeFileSync(program, `#!/bin/sh\n${told}\nexec '${findCodex('old').command}' "$@"\n`);
  chmodSync(program, 0o755);
  addRules(world.root);
  // The app-server reports its version itself, when it is initialized.
  const client = await open(world, 'exec', { CODEX_CLI_PATH: program });

  expect(await client.failure('codex_start', escapes(world))).toContain('might apply the rules in ');
  expect(written(world)).toEqual([]);
});

testWith('old').each(ENGINES)("the user's own rules do not prevent a session: %s", async (engine) => {
  await using world = await openLimitedWorld(processes, { age: 'old' });
  const own = join(world.home.rootDir, '.codex');
  symlinkSync(world.home.codexDir, own);
  mkdirSync(join(own, 'rules'));
  const client = await open(world, engine, { CODEX_HOME: own });

  expect(await client.call('codex_start', { ...FREE, prompt: plays(), waitSeconds: 30 })).toMatchObject({
    status: 'done',
  });
});

test.each(codexAges('today', 'middle').flatMap((age) => ENGINES.map((engine) => [age, engine] as const)))(
  'a newer Codex ignores planted rules: %s, %s',
  async (age, engine) => {
    await using world = await openLimitedWorld(processes, { age });
    addRules(world.root);
    const client = await open(world, engine);

    expect(await client.call('codex_start', escapes(world))).toMatchObject({ status: 'done' });
    expect(written(world)).toEqual([]);
  },
);
