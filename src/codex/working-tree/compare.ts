import { join, sep } from 'node:path';
import type { FileChange } from '../item-types.ts';
import { copyIndex } from './git-dir.ts';
import { listChanged, MAX_FILE_BYTES, MAX_FILES, scopeOf, statFile, type Tree } from './tree.ts';

export interface TreeChanges {
  /** Paths are relative to the folder. */
  readonly diff: string;
  readonly files: readonly Pick<FileChange, 'path' | 'kind'>[];
  /** The requested paths that could not be compared: for example, because they are outside the folder or ignored. */
  readonly unknown: readonly string[];
  readonly note?: string;
}

export interface Compared extends Omit<TreeChanges, 'unknown'> {
  readonly isIgnored: (path: string) => boolean;
}

export interface CompareOptions {
  /** Path for a copy of the index. */
  readonly index: string;
  /** Paths to test with `isIgnored`. If there are none, git does not run for them, and every path counts as ignored. */
  readonly paths: readonly string[];
}

/** Compares a tree with its index. */
export async function compare(tree: Tree, { index, paths }: CompareOptions): Promise<Compared> {
  const { git, workTree, folder } = tree;
  const scope = scopeOf(workTree, folder);
  const [changes, isIgnored] = await Promise.all([
    listChanged(git, scope).then((listed) => toChanges(tree, listed)),
    paths.length === 0 ? () => true : findIgnored(tree, scope),
  ]);
  const { huge } = changes;
  // Many turns change nothing: skip the diff then.
  const { diff, files } = changes.isNone ? { diff: '', files: [] } : await writeDiff(tree, { scope, index, changes });
  return {
    diff,
    files: [...files, ...huge],
    isIgnored,
    ...(huge.length === 0
      ? {}
      : { note: `${huge.length} changed file(s) larger than 1 MiB are listed without a diff.` }),
  };
}

interface Changes {
  readonly isNone: boolean;
  /** New files that are small enough for the diff. */
  readonly small: readonly string[];
  /** Files to leave out of the diff. */
  readonly excluded: readonly string[];
  /** The excluded files that have changed. */
  readonly huge: TreeChanges['files'];
}

async function toChanges(
  { workTree, large }: Tree,
  { names, untracked }: Awaited<ReturnType<typeof listChanged>>,
): Promise<Changes> {
  const seen = await Promise.all(
    names.slice(0, MAX_FILES).map(async (name) => ({ name, ...(await statFile(join(workTree, name))) })),
  );
  const changed = seen.filter(({ name, fingerprint }) => large.get(name) !== fingerprint);
  const isHuge = ({ name, size }: { name: string; size: number }) => size > MAX_FILE_BYTES || large.has(name);
  const huge = changed.filter(isHuge).map(({ name }) => name);
  return {
    isNone: changed.length === 0 && names.length <= MAX_FILES,
    small: changed.filter((entry) => untracked.has(entry.name) && !isHuge(entry)).map(({ name }) => name),
    excluded: [...new Set([...huge, ...large.keys()])],
    huge: huge.map((name) => ({
      path: join(workTree, name),
      kind: untracked.has(name) && !large.has(name) ? 'add' : 'update',
    })),
  };
}

interface DiffOptions {
  readonly scope: string;
  readonly index: string;
  readonly changes: Changes;
}

const MAX_EXCLUDED = 1_000;

async function writeDiff({ git, gitDir, workTree }: Tree, { scope, index, changes }: DiffOptions) {
  const { small, excluded } = changes;
  await copyIndex(join(gitDir, 'index'), index);
  if (small.length > 0) {
    const input = small.map((name) => `:(top,literal)${name}`).join('\0');
    await git.run(['add', '--intent-to-add', '--pathspec-from-file=-', '--pathspec-file-nul'], { input, index });
  }
  const within = [
    '--',
    `:(top,literal)${scope}`,
    ...excluded.slice(0, MAX_EXCLUDED).map((name) => `:(top,exclude,literal)${name}`),
  ];
  const plain = ['--no-ext-diff', '--no-textconv', '--no-color', '--no-renames', '--ignore-submodules=all'];
  const [diff, listed] = await Promise.all([
    git.run(['diff', ...plain, ...(scope === '' ? [] : [`--relative=${scope}`]), ...within], { index }),
    git.run(['diff', ...plain, '--name-status', '-z', ...within], { index }),
  ]);
  return { diff, files: toFiles(listed, workTree) };
}

function toFiles(listed: string, workTree: string): TreeChanges['files'] {
  const fields = listed.split('\0');
  return Array.from({ length: Math.floor(fields.length / 2) }, (_, index) => ({
    path: join(workTree, fields[2 * index + 1] ?? ''),
    kind: KINDS[fields[2 * index] ?? ''] ?? 'update',
  }));
}

const KINDS: Readonly<Record<string, FileChange['kind']>> = { A: 'add', D: 'delete' };

/** Returns a function that tells whether git ignores a path or one of its parent folders. */
async function findIgnored({ git, workTree }: Tree, scope: string): Promise<(path: string) => boolean> {
  const args = ['ls-files', '-z', '-o', '-i', '--exclude-standard', '--directory', '--', `:(top,literal)${scope}`];
  const ignored = (await git.run(args)).split('\0').filter((name) => name !== '');
  const ignoredPaths = ignored.map((name) => join(workTree, name));
  return (path) =>
    ignoredPaths.some((name) => path === name || path.startsWith(name.endsWith(sep) ? name : name + sep));
}
