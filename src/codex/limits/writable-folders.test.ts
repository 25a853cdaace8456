import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { OperatorLimits } from './operator-limits.ts';
import { createWritableFolderFinder } from './writable-folders.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'writable-')));
afterAll(() => rmSync(root, { recursive: true }));
const at = (...names: string[]) => join(root, ...names);
for (const folder of ['person/.codex', 'person/.nvm/bin', 'person/bin', 'work/bin', 'tmp', 'usr/bin', 'cargo/bin'])
  mkdirSync(at(folder), { recursive: true });
writeFileSync(at('person/.codex/config.toml'), `[sandbox_workspace_write]\nwritable_roots = ["${at('cargo')}"]\n`);
symlinkSync(at('work/bin/tool'), at('usr/bin/tool'));
symlinkSync(at('usr/bin'), at('work/linked'));

const LIMITS: OperatorLimits = { maxSandbox: 'workspace-write', allowsDanger: false, roots: [at('work')] };
const find = (over: Partial<OperatorLimits> = {}) =>
  createWritableFolderFinder({
    operatorLimits: { ...LIMITS, ...over },
    home: at('person'),
    codexHome: at('person/.codex'),
    tempFolders: [at('tmp')],
  });

test.each([
  ['an allowed folder', 'work/bin/git', 'work'],
  ['a temporary folder', 'tmp/git', 'tmp'],
  ['a folder opened by the user config', 'cargo/bin/git', 'cargo'],
  ['a symlink to an allowed folder', 'usr/bin/tool', 'work'],
  ['a symlink out of an allowed folder', 'work/linked/git', 'work'],
])('detects a path that a session could change: %s', async (_, path, folder) => {
  expect((await find())(at(path))).toBe(at(folder));
});

test('ignores a path that no session could change', async () => {
  const findWritableFolder = await find();
  expect(['usr/bin/git', 'person/bin/git', 'workshop'].map((path) => findWritableFolder(at(path)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('treats hidden folders of an allowed home folder as closed unless they are named', async () => {
  const paths = [at('person/bin/codex'), at('person/.nvm/bin/codex')];
  expect(paths.map(await find({ roots: [at('person')] }))).toEqual([at('person'), undefined]);
  expect(paths.map(await find({ roots: [at('person/.nvm')] }))).toEqual([undefined, at('person/.nvm')]);
});

test.each<[string, Partial<OperatorLimits>]>([
  ['there are no limits', { maxSandbox: 'danger-full-access', roots: [] }],
  ['danger is allowed', { allowsDanger: true }],
  ['no session can write', { maxSandbox: 'read-only' }],
  ['the server runs above the home folder, where no session can write', { roots: [root], isConfined: true }],
])('detects nothing if %s', async (_, over) => {
  expect((await find(over))(at('work/bin/git'))).toBeUndefined();
});
