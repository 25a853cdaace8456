import { mkdirSync, symlinkSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { findWatchTargets } from '../../src/config/watch/watch-targets.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();

/** The locations inside the test folder, which are the ones that differ. */
function placesIn(root: string, ...files: readonly string[]): Record<string, readonly string[]> {
  const found = [...findWatchTargets(files.map((file) => join(root, file)))];
  const inside = found.filter(([folder]) => folder === root || folder.startsWith(`${root}/`));
  return Object.fromEntries(inside.map(([folder, names]) => [folder.slice(root.length + 1), [...names]]));
}

test('every folder on the path is watched, from the root down', () => {
  const file = newFolder().write('a/x.json', '');
  const places = findWatchTargets([file]);
  expect(places.get(dirname(file))).toEqual(new Set(['x.json']));
  expect(places.get(dirname(dirname(file)))).toEqual(new Set(['a']));
  expect(places.has('/')).toBe(true);
  expect(
    [...places.keys()].every((folder) => folder === '/' || places.get(dirname(folder))?.has(basename(folder))),
  ).toBe(true);
});

test('a path ends at the first name that is missing or not a folder', () => {
  const folder = newFolder();
  folder.write('file', '');
  expect(placesIn(folder.path, 'a/b/x.json', 'file/x.json', 'project/x.json')).toEqual({
    '': ['a', 'file', 'project'],
    project: ['x.json'],
  });
});

test('a symlink is watched, and so is every folder on the path to its target', () => {
  const folder = newFolder();
  folder.write('real/deep/x.json', '');
  symlinkSync('real/deep', join(folder.path, 'link'));
  symlinkSync(join(folder.path, 'project/../link/x.json'), join(folder.path, 'project/.mcp.json'));
  expect(placesIn(folder.path, 'project/.mcp.json')).toEqual({
    '': ['project', 'link', 'real'],
    project: ['.mcp.json'],
    real: ['deep'],
    'real/deep': ['x.json'],
  });
});

test('symlink loops and broken symlinks terminate', () => {
  const folder = newFolder();
  symlinkSync('two', join(folder.path, 'one'));
  symlinkSync('one', join(folder.path, 'two'));
  symlinkSync('missing/x.json', join(folder.path, 'three'));
  mkdirSync(join(folder.path, 'loop'));
  symlinkSync('.', join(folder.path, 'loop/loop'));
  expect(placesIn(folder.path, 'one', 'three')).toEqual({ '': ['one', 'two', 'three', 'missing'] });
  expect(placesIn(folder.path, `loop${'/loop'.repeat(100)}/x.json`)).toEqual({ '': ['loop'], loop: ['loop'] });
});
