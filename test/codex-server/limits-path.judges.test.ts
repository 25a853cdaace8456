import { chmodSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { findCodex } from '../codex/codex-binary.ts';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexRelease, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 90_000 });
const processes = trackProcesses();
const RELEASES: readonly CodexRelease[] = ['current', 'previous', 'old'];
const written = (testbed: LimitedTestbed) => readdirSync(testbed.outside);
const PATH = process.env['PATH'] ?? '';

/** Programs that Codex and Switchboard start by name. Each reports when it runs where it could write outside. */
const NAMES = 'git bwrap bash sh env rg node';
function plants(testbed: LimitedTestbed, bin: string): string {
  const program = join(testbed.root, 'program');
  writeFileSync(program, `#!/bin/sh\necho "$0 $*" >> ${testbed.outside}/ran\nexit 1\n`);
  return runs(`for name in ${NAMES}; do cp ${program} ${bin}/$name; chmod +x ${bin}/$name; done`);
}

test.each([
  ['node_modules/.bin of the folder, as set by npx', (bin: string) => `${bin}:${PATH}`],
  ['a relative folder', () => `node_modules/.bin:./node_modules/.bin:${PATH}`],
  ['a relative folder at the end', () => `${PATH}:node_modules/.bin`],
])('programs planted in a PATH folder never run outside the sandbox: %s', async (_, toPath) => {
  await using testbed = await openLimitedTestbed(processes);
  const bin = join(testbed.root, 'node_modules', '.bin');
  const other = join(testbed.root, 'other');
  for (const folder of [bin, other]) mkdirSync(folder, { recursive: true });
  for (const engine of ['app-server', 'exec']) {
    const args = ['--allow-root', testbed.root, '--engine', engine];
    const client = await testbed.limited({ args, env: { PATH: toPath(bin) } });
    const { sessionId } = await client.call('codex_start', { ...FREE, prompt: plants(testbed, bin), waitSeconds: 30 });
    await client.result('codex_diff', { sessionId });
    // Codex does not look for the bwrap of a command in the folder of that command.
    const start = { ...FREE, workingDirectory: other, prompt: runs('echo done > seen'), waitSeconds: 30 };
    await client.call('codex_start', start);
    await client.close();
    expect(readdirSync(bin)).toEqual(NAMES.split(' ').toSorted());
    expect([engine, readFileSync(join(other, 'seen'), 'utf8'), written(testbed)]).toEqual([engine, 'done\n', []]);
  }
});

test('an empty PATH entry does not stand for the working folder', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const client = await testbed.limited({ env: { PATH: `:${PATH}:` } });
  await client.call('codex_start', { ...FREE, prompt: plants(testbed, testbed.root), waitSeconds: 30 });
  await client.call('codex_start', { ...FREE, prompt: scriptPrompt(), waitSeconds: 30 });

  expect(written(testbed)).toEqual([]);
});

test.each(['app-server', 'exec'])('a symlink in PATH does not lead to a planted program: %s', async (engine) => {
  await using testbed = await openLimitedTestbed(processes);
  const [tools, other] = [join(testbed.root, 'tools'), join(testbed.root, 'other')];
  const [safe, between] = [join(testbed.home.rootDir, 'safe'), join(testbed.home.rootDir, 'between')];
  for (const folder of [tools, other, safe]) mkdirSync(folder);
  symlinkSync(tools, between);
  for (const name of NAMES.split(' ')) symlinkSync(join(between, name), join(safe, name));
  const args = ['--allow-root', testbed.root, '--engine', engine];
  const client = await testbed.limited({ args, env: { PATH: `${safe}:${PATH}` } });
  await client.call('codex_start', { ...FREE, prompt: plants(testbed, tools), waitSeconds: 30 });
  const start = { ...FREE, workingDirectory: other, prompt: runs('echo done > seen'), waitSeconds: 30 };
  const { sessionId } = await client.call('codex_start', start);
  const diff = await client.call('codex_diff', { sessionId });

  expect(readdirSync(tools)).toEqual(NAMES.split(' ').toSorted());
  expect(written(testbed)).toEqual([]);
  expect(diff).toMatchObject({ diff: expect.stringContaining('+done') });
});

test("a PATH that the user's config sets for commands does not lead to a planted bwrap", async () => {
  await using testbed = await openLimitedTestbed(processes);
  const [bin, other] = [join(testbed.root, 'bin'), join(testbed.root, 'other')];
  for (const folder of [bin, other]) mkdirSync(folder);
  const config = join(testbed.home.codexDir, 'config.toml');
  const policy = `[shell_environment_policy.set]\nPATH = "${bin}:/usr/bin:/bin"\nMINE = "kept"\n`;
  await writeFile(config, `${await readFile(config, 'utf8')}\n${policy}`);
  const client = await testbed.limited();
  await client.call('codex_start', { ...FREE, prompt: plants(testbed, bin), waitSeconds: 30 });
  const prompt = runs('echo "$MINE" > seen');
  await client.call('codex_start', { ...FREE, workingDirectory: other, prompt, waitSeconds: 30 });

  expect(readFileSync(join(other, 'seen'), 'utf8')).toBe('kept\n');
  expect(written(testbed)).toEqual([]);
});

test.each(RELEASES)('a Codex that sessions could replace is not started: %s', async (release) => {
  await using testbed = await openLimitedTestbed(processes, { release });
  const bin = join(testbed.root, 'node_modules', '.bin');
  mkdirSync(bin, { recursive: true });
  const planted = join(bin, 'codex');
  writeFileSync(planted, `#!/bin/sh\ntouch '${testbed.outside}/ran'\nexec '${findCodex(release).command}' "$@"\n`);
  chmodSync(planted, 0o755);
  const start = { ...FREE, prompt: scriptPrompt(), waitSeconds: 30 };
  const reported: string[] = [];
  for (const env of [{ CODEX_CLI_PATH: planted }, { CODEX_CLI_PATH: '', PATH: `${bin}:/usr/bin:/bin` }])
    reported.push(await (await testbed.limited({ env })).failure('codex_start', start));

  const expected = `The Codex executable, ${planted}, is in ${testbed.root} or is reached through it.`;
  expect(reported).toEqual([expect.stringContaining(expected), expect.stringContaining(expected)]);
  // A program that sessions cannot replace takes precedence.
  const safe = join(testbed.home.rootDir, 'bin');
  mkdirSync(safe);
  writeFileSync(join(safe, 'codex'), `#!/bin/sh\nexec '${findCodex(release).command}' "$@"\n`);
  chmodSync(join(safe, 'codex'), 0o755);
  const client = await testbed.limited({ env: { CODEX_CLI_PATH: '', PATH: `${bin}:${safe}:/usr/bin:/bin` } });
  await client.call('codex_start', start);
  expect(written(testbed)).toEqual([]);
});

test('a server whose own program sessions could replace starts no session', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const dist = join(import.meta.dirname, '..', '..', 'dist');
  const client = await testbed.limited({ args: ['--allow-root', testbed.root, '--allow-root', dist] });
  const reported = await client.failure('codex_start', { ...FREE, prompt: scriptPrompt(), waitSeconds: 30 });

  expect(reported).toContain(`The executable of this server, ${join(dist, 'cli', 'main.js')}, is in ${dist}`);
});
