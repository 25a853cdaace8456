import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedWorld, openLimitedWorld, plays, runs } from './limits-world.ts';
import { type CodexAge, FREE } from './world.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const AGES: readonly CodexAge[] = ['today', 'middle', 'old'];
const written = (world: LimitedWorld) => readdirSync(world.outside);
const PATH = process.env['PATH'] ?? '';

/** Programs that Codex and Switchboard start by name. Each reports when it runs where it could write outside. */
const NAMES = 'git bwrap bash sh env rg node';
function plants(world: LimitedWorld, bin: string): string {
  const program = join(world.root, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${world.outside}/ran\nexit 1\n`);
  return runs(`for name in ${NAMES}; do cp ${program} ${bin}/$name; chmod +x ${bin}/$name; done`);
}

test.each([
  ['node_modules/.bin of the folder, as set by npx', (bin: string) => `${bin}:${PATH}`],
  ['a relative folder', () => `node_modules/.bin:./node_modules/.bin:${PATH}`],
  ['a relative folder at the end', () => `${PATH}:node_modules/.bin`],
])('programs planted in a PATH folder never run outside the sandbox: %s', async (_, toPath) => {
  await using world = await openLimitedWorld(processes);
  const bin = join(world.root, 'node_modules', '.bin');
  const other = join(world.root, 'other');
  for (const folder of [bin, other]) mkdirSync(folder, { recursive: true });
  for (const engine of ['app-server', 'exec']) {
    const args = ['--allow-root', world.root, '--engine', engine];
    const client = await world.limited({ args, env: { PATH: toPath(bin) } });
    const { sessionId } = await client.call('codex_start', { ...FREE, prompt: plants(world, bin), waitSeconds: 30 });
    await client.result('codex_diff', { sessionId });
    // Codex does not look for the bwrap of a command in the folder of that command.
    const start = { ...FREE, workingDirectory: other, prompt: runs('echo done > seen'), waitSeconds: 30 };
    await client.call('codex_start', start);
    await client.close();
    expect(readdirSync(bin)).toEqual(NAMES.split(' ').toSorted());
    expect([engine, readFileSync(join(other, 'seen'), 'utf8'), written(world)]).toEqual([engine, 'done\n', []]);
  }
});

test('an empty PATH entry does not stand for the working folder', async () => {
  await using world = await openLimitedWorld(processes);
  const client = await world.limited({ env: { PATH: `:${PATH}:` } });
  await client.call('codex_start', { ...FREE, prompt: plants(world, world.root), waitSeconds: 30 });
  await client.call('codex_start', { ...FREE, prompt: plays(), waitSeconds: 30 });

  expect(written(world)).toEqual([]);
});

test.each(['app-server', 'exec'])('a symlink in PATH does not lead to a planted program: %s', async (engine) => {
  await using world = await openLimitedWorld(processes);
  const [tools, other] = [join(world.root, 'tools'), join(world.root, 'other')];
  const [safe, between] = [join(world.home.rootDir, 'safe'), join(world.home.rootDir, 'between')];
  for (const folder of [tools, other, safe]) mkdirSync(folder);
  symlinkSync(tools, between);
  for (const name of NAMES.split(' ')) symlinkSync(join(between, name), join(safe, name));
  const args = ['--allow-root', world.root, '--engine', engine];
  const client = await world.limited({ args, env: { PATH: `${safe}:${PATH}` } });
  await client.call('codex_start', { ...FREE, prompt: plants(world, tools), waitSeconds: 30 });
  const start = { ...FREE, workingDirectory: other, prompt: runs('echo done > seen'), waitSeconds: 30 };
  const { sessionId } = await client.call('codex_start', start);
  const diff = await client.call('codex_diff', { sessionId });

  expect(readdirSync(tools)).toEqual(NAMES.split(' ').toSorted());
  expect(written(world)).toEqual([]);
  expect(diff).toMatchObject({ diff: expect.stringContaining('+done') });
});

test("a PATH that the user's config sets for commands does not lead to a planted bwrap", async () => {
  await using world = await openLimitedWorld(processes);
  const [bin, other] = [join(world.root, 'bin'), join(world.root, 'other')];
  for (const folder of [bin, other]) mkdirSync(folder);
  const config = join(world.home.codexDir, 'config.toml');
  const policy = `[shell_environment_policy.set]\nPATH = "${bin}:/usr/bin:/bin"\nMINE = "kept"\n`;
  await writeFile(config, `${await readFile(config, 'utf8')}\n${policy}`);
  const client = await world.limited();
  await client.call('codex_start', { ...FREE, prompt: plants(world, bin), waitSeconds: 30 });
  const prompt = runs('echo "$MINE" > seen');
  await client.call('codex_start', { ...FREE, workingDirectory: other, prompt, waitSeconds: 30 });

  expect(readFileSync(join(other, 'seen'), 'utf8')).toBe('kept\n');
  expect(written(world)).toEqual([]);
});

test.each(AGES)('a Codex that sessions could replace is not started: %s', async (age) => {
  await using world = await openLimitedWorld(processes, { age });
  const bin = join(world.root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  const planted = join(bin, 'codex');
  writeFileSync(planted, `#!/bin/sh\ntouch '${world.outside}/ran'\nexec '${findCodex(age).command}' "$@"\n`);
  chmodSync(planted, 0o755);
  const start = { ...FREE, prompt: plays(), waitSeconds: 30 };
  const told: string[] = [];
  for (const env of [{ CODEX_CLI_PATH: planted }, { CODEX_CLI_PATH: '', PATH: `${bin}:/usr/bin:/bin` }])
    told.push(await (await world.limited({ env })).failure('codex_start', start));

  const expected = `The Codex executable, ${planted}, is in ${world.root} or is reached through it.`;
  expect(told).toEqual([expect.stringContaining(expected), expect.stringContaining(expected)]);
  // A program that sessions cannot replace takes precedence.
  const safe = join(world.home.rootDir, 'bin');
  mkdirSync(safe);
  writeFileSync(join(safe, 'codex'), `#!/bin/sh\nexec '${findCodex(age).command}' "$@"\n`);
  chmodSync(join(safe, 'codex'), 0o755);
  const client = await world.limited({ env: { CODEX_CLI_PATH: '', PATH: `${bin}:${safe}:/usr/bin:/bin` } });
  await client.call('codex_start', start);
  expect(written(world)).toEqual([]);
});

test('a server whose own program sessions could replace starts no session', async () => {
  await using world = await openLimitedWorld(processes);
  const dist = join(import.meta.dirname, '..', '..', 'dist');
  const client = await world.limited({ args: ['--allow-root', world.root, '--allow-root', dist] });
  const told = await client.failure('codex_start', { ...FREE, prompt: plays(), waitSeconds: 30 });

  expect(told).toContain(`The executable of this server, ${join(dist, 'cli', 'main.js')}, is in ${dist}`);
});
