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
])('follows a symlinked file of a protected folder: %s', (name) => {
  link('work/dotfiles/file', `codex/${name}`);

  const reported = `${at('work')} contains ${at('work/dotfiles/file')}, the target of the link ${at('codex', name)}`;
  expect([find('work'), find('work/project'), find('safe')]).toEqual([reported, undefined, undefined]);
});

test('detects a folder within a symlinked folder', () => {
  link('work/dotfiles/rules', 'codex/rules');
  mkdirSync(at('work/dotfiles/rules/more'));

  expect(find('work/dotfiles/rules/more')).toBe(
    `${at('work/dotfiles/rules/more')} is inside ${at('work/dotfiles/rules')}, the target of the link ${at('codex/rules')}`,
  );
});

test('detects a folder that contains a symlink on the path', () => {
  link('safe', 'work/current');
  link('work/current/config.toml', 'codex/config.toml');

  expect(find('work')).toContain(`contains ${at('work/current')}, the target of`);
  expect(find('safe')).toContain(`contains ${at('safe/config.toml')}, the target of`);
});

test('detects a folder that contains a symlink to a protected folder', () => {
  link('codex', 'work/codex');

  const targets = resolveProtected([{ path: at('work/codex'), what: 'it' }]);
  expect(findProtected(at('work'), targets)).toBe(`${at('work')} is, contains or is inside it`);
  expect(findProtected(at('work/project'), targets)).toBeUndefined();
});
