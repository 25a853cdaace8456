import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import { trackProcesses } from '../processes.ts';
import { type LimitedTestbed, openLimitedTestbed, runs, scriptPrompt } from './limits-testbed.ts';
import { type CodexRelease, FREE } from './testbed.ts';

vi.setConfig({ testTimeout: 180_000 });
const processes = trackProcesses();
const RELEASES: readonly CodexRelease[] = ['current', 'previous', 'old'];
const written = (testbed: LimitedTestbed) => readdirSync(testbed.outside);

/** A repository as a session can leave it: its configuration names programs for everything that git does with it. */
function plantRepository(testbed: LimitedTestbed): string {
  const folder = join(testbed.root, 'planted');
  mkdirSync(folder);
  const git = (...args: string[]) => execFileSync('git', ['-C', folder, ...args]);
  git('init', '-q', '-b', 'main');
  git('config', 'user.name', 'somebody');
  git('config', 'user.email', 'somebody@example.com');
  writeFileSync(join(folder, 'file'), 'one\n');
  git('add', '.');
  git('commit', '-q', '-m', 'first');
  writeFileSync(join(folder, 'file'), 'two\n');
  writeFileSync(join(folder, '.git', 'info', 'attributes'), '* filter=x diff=x\n');
  const program = (name: string) => `touch ${join(testbed.outside, name)}; cat`;
  for (const key of ['filter.x.clean', 'filter.x.process', 'diff.x.textconv', 'diff.external', 'core.sshCommand'])
    git('config', key, program(key));
  git('config', 'core.fsmonitor', `touch ${join(testbed.outside, 'core.fsmonitor')}; false`);
  return folder;
}

test.each(RELEASES)('git outside the sandbox never runs programs from a planted repository: %s', async (release) => {
  await using testbed = await openLimitedTestbed(processes, { release });
  const workingDirectory = plantRepository(testbed);
  for (const engine of ['app-server', 'exec']) {
    const client = await testbed.limited({ args: ['--allow-root', testbed.root, '--engine', engine] });
    const start = { ...FREE, workingDirectory, prompt: runs('git rev-parse HEAD > head; echo "$GIT_DIR" >> head') };
    const { sessionId } = await client.call('codex_start', { ...start, waitSeconds: 50 });
    await client.result('codex_diff', { sessionId });
    await client.result('codex_say', { sessionId, message: scriptPrompt(), waitSeconds: 50 });
    await client.result('codex_review', { workingDirectory, target: 'base', base: 'main', waitSeconds: 50 });
    await client.close();
    expect([engine, written(testbed)]).toEqual([engine, []]);
    // The session's own commands can use git as usual.
    expect(readFileSync(join(workingDirectory, 'head'), 'utf8')).toMatch(/^[0-9a-f]{40}\n\n$/u);
  }
});

test('variables that the user excludes do not reach commands', async () => {
  await using testbed = await openLimitedTestbed(processes);
  const config = join(testbed.home.codexDir, 'config.toml');
  const policy = '[shell_environment_policy]\nexclude = ["MY_*"]\n';
  await writeFile(config, `${await readFile(config, 'utf8')}\n${policy}`);
  const client = await testbed.limited({ env: { MY_OWN: 'x', OTHER: 'y' } });
  await client.call('codex_start', { ...FREE, prompt: runs('echo "$MY_OWN:$OTHER" > seen'), waitSeconds: 50 });

  expect(readFileSync(join(testbed.root, 'seen'), 'utf8')).toBe(':y\n');
});

test('no session can write to the config folder of our own git', async () => {
  await using testbed = await openLimitedTestbed(processes);
  writeFileSync(join(testbed.root, 'file'), 'one\n');
  const client = await testbed.limited();
  const program = `touch ${join(testbed.outside, 'by-diff')}; false`;
  // Where a session would find it: in its temporary folder, or where the server keeps its files.
  const plants = `for config in $(find /tmp ${testbed.own} -maxdepth 3 -name config -path '*diff*' -newer file 2>/dev/null); do grep -q 'filemode' $config && echo $config >> seen && git config -f $config core.fsmonitor '${program}' && touch written; done; echo two > file`;
  const { sessionId } = await client.call('codex_start', { ...FREE, prompt: runs(plants), waitSeconds: 50 });
  const { diff, note } = await client.call('codex_diff', { sessionId });
  expect(note).toBeUndefined();

  expect(diff).toContain('+two');
  expect(readFileSync(join(testbed.root, 'seen'), 'utf8')).toContain(testbed.own);
  expect([written(testbed), existsSync(join(testbed.root, 'written'))]).toEqual([[], false]);
});
