import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test, vi } from 'vitest';
import { openProcesses } from '../../src/base/process/processes.ts';
import { createTreeTracker } from '../../src/codex/working-tree/tree-tracker.ts';
import { start } from './flow-session.ts';
import { shareTestbed } from './flow-testbed.ts';

vi.setConfig({ testTimeout: 180_000 });

const shared = shareTestbed({}, { args: ['--tools', 'full'] });
const made: string[] = [];
afterAll(() => {
  for (const folder of made) rmSync(folder, { recursive: true, force: true });
});
const createFolder = () => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-tree-')));
  made.push(folder);
  return folder;
};
const git = (cwd: string, ...args: string[]) =>
  execFileSync('git', ['-c', 'user.name=n', '-c', 'user.email=e@x', ...args], { cwd, stdio: 'pipe' });
const diffAfter = async (workingDirectory: string, ...commands: string[]) => {
  const steps = [...commands.map((shell) => ({ shell })), { message: 'done' }];
  const flow = await start(shared.client, steps, { workingDirectory });
  expect(await flow.settled()).toMatchObject({ status: 'done' });
  return shared.client.call('codex_diff', { sessionId: flow.id });
};

test('the diff shows files that shell commands changed, created or deleted, without earlier changes', async () => {
  const folder = createFolder();
  git(folder, 'init', '-q');
  for (const name of ['kept.txt', 'gone.txt', 'dirty.txt', 'both.txt']) writeFileSync(join(folder, name), 'one\ntwo\n');
  writeFileSync(join(folder, '.gitignore'), 'ignored.txt\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  writeFileSync(join(folder, 'dirty.txt'), 'mine\n');
  writeFileSync(join(folder, 'both.txt'), 'mine\ntwo\n');
  writeFileSync(join(folder, 'untracked.txt'), 'mine\n');
  const index = readFileSync(join(folder, '.git', 'index'));
  const changed = await diffAfter(
    folder,
    'echo three >> kept.txt; rm gone.txt; echo three >> both.txt; echo new > "new file.txt"; echo x > ignored.txt; printf "\\000\\001" > binary.bin',
  );
  const path = (name: string) => join(folder, name);
  expect(changed['files']).toEqual([
    { path: path('binary.bin'), kind: 'add' },
    { path: path('both.txt'), kind: 'update' },
    { path: path('gone.txt'), kind: 'delete' },
    { path: path('kept.txt'), kind: 'update' },
    { path: path('new file.txt'), kind: 'add' },
  ]);
  const diff = String(changed['diff']);
  expect(diff).toContain(' mine\n two\n+three\n');
  expect(diff).toContain('Binary files /dev/null and b/binary.bin differ');
  expect(diff).not.toContain('-one\n+mine');
  // The repository itself is unchanged.
  expect(readFileSync(join(folder, '.git', 'index'))).toEqual(index);
});

test('paths are relative to the session folder, and files outside it are not included', async () => {
  const folder = createFolder();
  git(folder, 'init', '-q');
  mkdirSync(join(folder, 'inner'));
  writeFileSync(join(folder, 'inner', 'a.txt'), 'a\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  const changed = await diffAfter(join(folder, 'inner'), 'echo b >> a.txt');
  expect(changed).toMatchObject({ files: [{ path: join(folder, 'inner', 'a.txt'), kind: 'update' }] });
  expect(String(changed['diff'])).toContain('--- a/a.txt\n+++ b/a.txt\n@@ -1 +1,2 @@\n a\n+b\n');
});

test('a folder without a repository is compared too, and a turn without changes has no diff', async () => {
  const folder = createFolder();
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  mkdirSync(join(folder, 'node_modules'));
  const changed = await diffAfter(folder, 'echo b >> a.txt; echo x > node_modules/x.js');
  expect(changed).toMatchObject({ files: [{ path: join(folder, 'a.txt'), kind: 'update' }] });
  expect(await diffAfter(folder, 'cat a.txt')).toMatchObject({ diff: '', files: [] });
  expect(existsSync(join(folder, '.git', 'HEAD'))).toBe(false);
});

test('a large changed file is listed without a diff, and an unchanged one is not listed', async () => {
  const folder = createFolder();
  for (const name of ['large.txt', 'same.txt']) writeFileSync(join(folder, name), 'x'.repeat(1_200_000));
  const changed = await diffAfter(folder, 'echo y >> large.txt');
  expect(changed).toMatchObject({
    diff: '',
    files: [{ path: join(folder, 'large.txt'), kind: 'update' }],
    note: '1 changed file(s) larger than 1 MiB are listed without a diff.',
  });
});

test('too many files are reported, and the patches of Codex are still included', async () => {
  const folder = createFolder();
  for (let count = 0; count < 5_100; count++) writeFileSync(join(folder, `${count}.txt`), '');
  const patch = '*** Begin Patch\n*** Add File: patched.txt\n+hi\n*** End Patch';
  const flow = await start(shared.client, [{ patch }, { message: 'done' }], { workingDirectory: folder });
  await flow.settled();
  expect(await shared.client.call('codex_diff', { sessionId: flow.id })).toMatchObject({
    diff: expect.stringContaining('+hi'),
    files: [{ path: join(folder, 'patched.txt'), kind: 'add' }],
    note: expect.stringContaining('too many changed or untracked files'),
  });
});

test('programs named in the config of a repository are never run', async () => {
  const folder = createFolder();
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  writeFileSync(join(folder, '.gitattributes'), '* filter=evil diff=evil\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  const ran = join(folder, '.git', 'ran');
  const evil = join(folder, '.git', 'evil.sh');
  writeFileSync(evil, `#!/bin/sh\necho "$0 $*" >> ${ran}\ncat\n`);
  chmodSync(evil, 0o755);
  const nested = join(folder, 'nested');
  mkdirSync(nested);
  git(nested, 'init', '-q');
  for (const at of [folder, nested])
    for (const key of [
      'core.fsmonitor',
      'filter.evil.clean',
      'filter.evil.process',
      'diff.evil.textconv',
      'diff.external',
    ])
      git(at, 'config', key, evil);
  // Without Codex, which also runs git in the folder of a session.
  const processes = openProcesses({ env: process.env });
  const trees = createTreeTracker({ processes, env: async () => process.env, parent: join(createFolder(), 'diffs') });
  const tree = await trees.track(folder);
  writeFileSync(join(folder, 'a.txt'), 'a\nb\n');
  writeFileSync(join(folder, 'new.txt'), 'new\n');
  tree.freeze();
  const { diff, note } = await tree.changes([]);
  await trees.close();
  await processes.close();
  expect(note).toBeUndefined();
  expect([diff.includes('+b\n'), diff.includes('+new\n')]).toEqual([true, true]);
  expect(existsSync(ran) ? readFileSync(ran, 'utf8') : '').toBe('');
});

test('git runs once for all turns that start together, and once after each turn without changes', async () => {
  const folder = createFolder();
  git(folder, 'init', '-q');
  writeFileSync(join(folder, 'a.txt'), 'a\n');
  git(folder, 'add', '.');
  git(folder, 'commit', '-qm', 'first');
  const bin = createFolder();
  writeFileSync(join(bin, 'git'), `#!/bin/sh\necho "$1" >> '${bin}/ran'\nPATH=\${PATH#*:} exec git "$@"\n`);
  chmodSync(join(bin, 'git'), 0o755);
  const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}` };
  const processes = openProcesses({ env });
  const parent = join(createFolder(), 'diffs');
  const trees = createTreeTracker({ processes, env: async () => env, parent });
  const [one, two] = await Promise.all([trees.track(folder), trees.track(folder)]);
  expect(readFileSync(join(bin, 'ran'), 'utf8')).toBe('ls-files\n');
  one.freeze();
  expect(await one.changes([])).toEqual({ diff: '', files: [], unknown: [] });
  expect(readFileSync(join(bin, 'ran'), 'utf8')).toBe('ls-files\n'.repeat(2));
  // The second turn has not ended.
  writeFileSync(join(folder, 'a.txt'), 'b\n');
  two.freeze();
  expect((await two.changes([])).diff).toContain('-a\n+b');
  expect((await one.changes([])).diff).toBe('');
  // Only the empty git directory for the next snapshot is left.
  const holdsIndex = () => readdirSync(parent).map((name) => existsSync(join(parent, name, 'index')));
  await vi.waitFor(() => expect(holdsIndex()).toEqual([false]), { timeout: 30_000 });
  await trees.close();
  expect(readdirSync(parent)).toEqual([]);
  await processes.close();
});

test('snapshots that start together in different folders are independent, even after the cache folder was deleted', async () => {
  const processes = openProcesses({ env: process.env });
  const parent = join(createFolder(), 'diffs');
  const trees = createTreeTracker({ processes, env: async () => process.env, parent });
  const diffs = async () => {
    const folders = [createFolder(), createFolder()];
    const tracked = await Promise.all(folders.map((folder) => trees.track(folder)));
    for (const [index, folder] of folders.entries()) writeFileSync(join(folder, 'a.txt'), `text ${index}\n`);
    for (const tree of tracked) tree.freeze();
    return Promise.all(tracked.map(async (tree) => (await tree.changes([])).diff.match(/^\+text.*$/gm)));
  };
  expect(await diffs()).toEqual([['+text 0'], ['+text 1']]);
  await vi.waitFor(() => expect(readdirSync(parent)).toHaveLength(1), { timeout: 30_000 });
  expect(await diffs()).toEqual([['+text 0'], ['+text 1']]);
  await vi.waitFor(() => expect(readdirSync(parent)).toHaveLength(1), { timeout: 30_000 });
  rmSync(parent, { recursive: true });
  expect(await diffs()).toEqual([['+text 0'], ['+text 1']]);
  await trees.close();
  await processes.close();
});

test('a change that keeps the size of a file is detected within the same second', async () => {
  const folder = createFolder();
  const processes = openProcesses({ env: process.env });
  const trees = createTreeTracker({ processes, env: async () => process.env, parent: join(createFolder(), 'diffs') });
  // Git distinguishes files by size and by the second of their change. All changes happen early in one second.
  await vi.waitFor(() => expect(Date.now() % 1_000).toBeLessThan(50), { interval: 5, timeout: 30_000 });
  writeFileSync(join(folder, 'a.txt'), 'two\n');
  const tree = await trees.track(folder);
  writeFileSync(join(folder, 'a.txt'), 'TWO\n');
  await vi.waitFor(() => expect(Date.now() % 1_000).toBeLessThan(50), { interval: 5, timeout: 30_000 });
  const { diff } = await tree.changes([]);
  await trees.close();
  await processes.close();
  expect(diff).toContain('-two\n+TWO');
});
