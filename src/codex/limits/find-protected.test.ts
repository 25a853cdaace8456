import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findProtected, resolveProtected } from './find-protected.ts';

let root: string;
const at = (...names: string[]) => join(root, ...names);
const find = (folder: string) => findProtected(at(folder), resolveProtected([{ path: at('codex'), what: 'it' }]));
const link = (target: string, name: string) => {
  mkdirSync(dirname(at(name)), { recursive: true });
  symlinkSync(at(target), at(name));
};

beforeEach(() => {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'protected-')));
  for (const folder of ['codex', 'work/dotfiles/rules', 'work/project', 'safe'])
    mkdirSync(at(folder), { recursive: true });
});
afterEach(() => rmSync(root, { recursive: true }));

test.each([
  'config.toml',
  'work.config.toml',
  'hooks.json',
  '.env',
  '.mcp.json',
  'rules/default.rules',
  'agents/one.toml',
])('a file of a protected folder may be a link: %s', (name) => {
  link('work/dotfiles/file', `codex/${name}`);

  const told = `${at('work')} contains ${at('work/dotfiles/file')}, to which the link ${at('codex', name)} leads`;
  expect([find('work'), find('work/project'), find('safe')]).toEqual([told, undefined, undefined]);
});

test('whoever may write in a linked folder is found', () => {
  link('work/dotfiles/rules', 'codex/rules');
  mkdirSync(at('work/dotfiles/rules/more'));

  expect(find('work/dotfiles/rules/more')).toBe(
    `${at('work/dotfiles/rules/more')} lies in ${at('work/dotfiles/rules')}, to which the link ${at('codex/rules')} leads`,
  );
});

test('whoever may replace a link on the way is found', () => {
  link('safe', 'work/current');
  link('work/current/config.toml', 'codex/config.toml');

  expect(find('work')).toContain(`contains ${at('work/current')}, to which`);
  expect(find('safe')).toContain(`contains ${at('safe/config.toml')}, to which`);
});

test('whoever may replace a link to a protected folder is found', () => {
  link('codex', 'work/codex');

  const targets = resolveProtected([{ path: at('work/codex'), what: 'it' }]);
  expect(findProtected(at('work'), targets)).toBe(`${at('work')} is, contains or lies in it`);
  expect(findProtected(at('work/project'), targets)).toBeUndefined();
});
