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
  ["a folder that the user's config opens", 'cargo/bin/git', 'cargo'],
  ['a link that leads there', 'usr/bin/tool', 'work'],
  ['a link in there that leads out', 'work/linked/git', 'work'],
])('a path that some session could change is found: %s', async (_, path, folder) => {
  expect((await find())(at(path))).toBe(at(folder));
});

test('a path that no session could change is not', async () => {
  const findWritableFolder = await find();
  expect(['usr/bin/git', 'person/bin/git', 'workshop'].map((path) => findWritableFolder(at(path)))).toEqual([
    undefined,
    undefined,
    undefined,
  ]);
});

test('hidden folders of an allowed home folder are closed, unless they are named', async () => {
  const paths = [at('person/bin/codex'), at('person/.nvm/bin/codex')];
  expect(paths.map(await find({ roots: [at('person')] }))).toEqual([at('person'), undefined]);
  expect(paths.map(await find({ roots: [at('person/.nvm')] }))).toEqual([undefined, at('person/.nvm')]);
});

test.each<[string, Partial<OperatorLimits>]>([
  ['there are no limits', { maxSandbox: 'danger-full-access', roots: [] }],
  ['danger is allowed', { allowsDanger: true }],
  ['no session may write', { maxSandbox: 'read-only' }],
  ['the server runs above the home folder, where none may write', { roots: [root], isConfined: true }],
])('nothing is refused where %s', async (_, over) => {
  expect((await find(over))(at('work/bin/git'))).toBeUndefined();
});
