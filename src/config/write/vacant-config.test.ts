import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import type { Source } from '../files/sources.ts';
import { removeEntry } from './write-entry.ts';

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});

function write(text: string, layer: Source['layer'] = 'project'): Source {
  const project = mkdtempSync(join(tmpdir(), 'switchboard-vacant-'));
  folders.push(project);
  const file = join(project, '.switchboard', 'config.json');
  mkdirSync(join(project, '.switchboard'));
  writeFileSync(file, text);
  return { file, layer, isSwitchboardFile: true, needsTrust: layer === 'project', namedBy: undefined };
}

const withOne = (more = '', comment = '') =>
  `{\n  "version": 1,${more}\n  "mcp": {\n    ${comment}"servers": { "a": { "enabled": false } }\n  }\n}\n`;

test('removing the last entry of a project config removes the file and its empty folder', () => {
  const { file, ...source } = write(withOne());
  expect(removeEntry({ file, ...source }, 'a')).toMatchObject({ isChanged: true });
  expect([existsSync(file), existsSync(join(file, '..'))]).toEqual([false, false]);
});

test('a folder with other files stays', () => {
  const source = write(withOne());
  writeFileSync(join(source.file, '..', 'notes.txt'), '');
  removeEntry(source, 'a');
  expect([existsSync(source.file), existsSync(join(source.file, '..'))]).toEqual([false, true]);
});

test.each([
  ['other settings', withOne(' "profile": "codex",')],
  ['a comment', withOne('', '// shared by the team\n    ')],
  ['another server', withOne().replace('"a"', '"b": {}, "a"')],
])('a project config with %s stays', (_, text) => {
  const source = write(text);
  removeEntry(source, 'a');
  expect(existsSync(source.file)).toBe(true);
});

test('the global config stays, and a dry run removes nothing', () => {
  const global = write(withOne(), 'global');
  removeEntry(global, 'a');
  const project = write(withOne());
  removeEntry(project, 'a', { isDryRun: true });
  expect([existsSync(global.file), existsSync(project.file)]).toEqual([true, true]);
});

test('a link is not removed', () => {
  const real = write(withOne());
  const { file, ...source } = write(withOne());
  rmSync(join(file, '..'), { recursive: true });
  symlinkSync(join(real.file, '..'), join(file, '..'));
  expect(() => removeEntry({ ...source, file }, 'a')).toThrow('cannot be written');
  expect(existsSync(file)).toBe(true);
});
