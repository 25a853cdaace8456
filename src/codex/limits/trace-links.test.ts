import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { traceLinks } from './trace-links.ts';

const root = realpathSync(mkdtempSync(join(tmpdir(), 'links-')));
afterAll(() => rmSync(root, { recursive: true }));
const at = (...names: string[]) => join(root, ...names);
for (const folder of ['home', 'dotfiles/deep', 'safe']) mkdirSync(at(folder), { recursive: true });
writeFileSync(at('safe/config'), '');
symlinkSync('../dotfiles/current/config', at('home/config'));
symlinkSync(at('safe'), at('dotfiles/current'));
symlinkSync('../dotfiles/deep/../not-there', at('home/nowhere'));
symlinkSync('loop', at('home/loop'));

test.each([
  ['a file without symlinks', 'safe/config', ['safe/config']],
  ['a symlink to a file behind another symlink', 'home/config', ['home/config', 'dotfiles/current', 'safe/config']],
  ['a broken symlink', 'home/nowhere', ['home/nowhere', 'dotfiles/not-there']],
  ['a missing file behind a symlink', 'dotfiles/current/new', ['dotfiles/current', 'safe/new']],
])('returns every symlink on the path and its target: %s', (_, path, places) => {
  expect(traceLinks(at(path))).toEqual(places.map((place) => at(place)));
});

test('stops at a symlink to itself', () => {
  expect(traceLinks(at('home/loop')).at(-1)).toBe(at('home/loop'));
});
