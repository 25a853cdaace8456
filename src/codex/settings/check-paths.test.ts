import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { assertInsideGitRepository, checkFolder, checkImages } from './check-paths.ts';

const PNG = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 0, 0, 0, 0]);
const HEADS = {
  'a.png': PNG,
  'b.jpg': Buffer.from([0xff, 0xd8, 0xff, 0xe0]),
  'c.gif': Buffer.from('GIF89a'),
  'd.webp': Buffer.from('RIFF\0\0\0\0WEBP'),
  'text.png': Buffer.from('hello'),
  'empty.png': Buffer.alloc(0),
  'audio.webp': Buffer.from('RIFF\0\0\0\0WAVE'),
};
let root = '';

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'files-'));
  await mkdir(join(root, 'work', 'deep'), { recursive: true });
  await mkdir(join(root, 'home', 'mine'), { recursive: true });
  await mkdir(join(root, 'elsewhere'));
  for (const [name, head] of Object.entries(HEADS)) await writeFile(join(root, 'work', name), head);
  await writeFile(join(root, 'elsewhere', 'e.png'), PNG);
  await symlink(join(root, 'elsewhere'), join(root, 'work', 'out'));
});
afterAll(() => rm(root, { recursive: true }));

test.each([
  ['nowhere', 'BAD_ARGUMENTS', /^workingDirectory: there is no folder .*nowhere\.$/],
  ['a.png', 'BAD_ARGUMENTS', /^workingDirectory: .*a\.png is not a folder\.$/],
  ['../elsewhere', 'DENIED', /is outside of the folders/],
  ['out', 'DENIED', /is outside of the folders/],
  ['~/mine', 'DENIED', /is outside of the folders/],
])('rejects the folder %s', async (path, code, message) => {
  await expect(checkFolder(path, 'workingDirectory', place([join(root, 'work')]))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('resolves a folder from the base or from home, or as an absolute path', async () => {
  const deep = join(root, 'work', 'deep');
  expect(await checkFolder('deep', 'x', place())).toBe(deep);
  expect(await checkFolder('.', 'x', place())).toBe(join(root, 'work'));
  expect(await checkFolder('../home', 'x', place(), deep.slice(0, -5))).toBe(join(root, 'home'));
  expect(await checkFolder('~', 'x', place())).toBe(join(root, 'home'));
  expect(await checkFolder('~/mine', 'x', place())).toBe(join(root, 'home', 'mine'));
  expect(await checkFolder(deep, 'x', place([root]))).toBe(deep);
});

test.each([
  ['nowhere.png', 'BAD_ARGUMENTS', /^images: there is no file .*nowhere\.png\.$/],
  ['deep', 'BAD_ARGUMENTS', /^images: .*deep is not a file\.$/],
  ['text.png', 'BAD_ARGUMENTS', /is not an image that Codex accepts \(PNG, JPEG, GIF or WebP\)\.$/],
  ['empty.png', 'BAD_ARGUMENTS', /is not an image that Codex accepts/],
  ['audio.webp', 'BAD_ARGUMENTS', /is not an image that Codex accepts/],
  ['out/e.png', 'DENIED', /^images: .* is outside of the folders/],
])('rejects the image %s', async (path, code, message) => {
  const roots = [join(root, 'work')];
  await expect(checkImages(['a.png', path], join(root, 'work'), place(roots))).rejects.toMatchObject({
    code,
    message: expect.stringMatching(message),
  });
});

test('recognizes images by their first bytes', async () => {
  const names = ['a.png', 'b.jpg', 'c.gif', 'd.webp'];
  expect(await checkImages(names, join(root, 'work'), place())).toEqual(names.map((name) => join(root, 'work', name)));
  expect(await checkImages([], root, place())).toEqual([]);
});

test('rejects a folder outside a git repository or with an invalid .git, and says what to do', async () => {
  const repository = join(root, 'repository');
  const worktree = join(root, 'worktree');
  await mkdir(join(repository, 'a', 'b'), { recursive: true });
  await mkdir(join(repository, '.git'));
  await mkdir(worktree);
  await expect(assertInsideGitRepository(join(repository, 'a', 'b'))).rejects.toMatchObject({
    code: 'BAD_ARGUMENTS',
    message: expect.stringMatching(/is not inside a git repository.* set skipGitRepoCheck: true\.$/),
  });
  await writeFile(join(repository, '.git', 'HEAD'), 'ref: refs/heads/main\n');
  await writeFile(join(worktree, '.git'), 'gitdir: elsewhere\n');

  await assertInsideGitRepository(join(repository, 'a', 'b'));
  await assertInsideGitRepository(worktree);
});

function place(roots: readonly string[] = []) {
  const operatorLimits = { maxSandbox: 'danger-full-access', allowsDanger: false, roots } as const;
  return { operatorLimits, cwd: join(root, 'work'), home: join(root, 'home') };
}
