import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Environment } from '../../config/files/folders.ts';
import { namesFile, readKnownNames } from './known-names.ts';
import { storeNames, type ToolText } from './store-names.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-names-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const environment = (home = join(folder, 'own')) => {
  return { cwd: folder, home: folder, env: { SWITCHBOARD_HOME: home }, platform: process.platform };
};
const known = () => Object.fromEntries(readKnownNames(environment()));
const tool = (name: string, inputSchema?: unknown): ToolText => ({
  key: name,
  json: JSON.stringify({ name, inputSchema }),
});

/** The definition has 17 bytes. */
const SEARCH_TOKENS = 4;

test('ignores a folder that cannot be created', () => {
  writeFileSync(join(folder, 'own'), 'a file');
  expect(keep(environment(), 'github', [tool('search')])).toBeUndefined();
  expect(readdirSync(folder)).toEqual(['own']);
});

test('leaves no temporary file if the file cannot be replaced', () => {
  // A file in place of the folder makes the write fail.
  mkdirSync(join(namesFile(environment()), 'full'), { recursive: true });
  expect(keep(environment(), 'github', [tool('search')])).toBeUndefined();
  expect(readdirSync(join(folder, 'own'))).toEqual(['names.json']);
});

test('stores names with their keys, required keys first', () => {
  const properties = {
    body: { type: 'string' },
    level: { enum: ['low', 'high'] },
    count: { type: ['integer', 'null'] },
    free: {},
    odd: true,
    '$(id)': { type: 'string' },
    'a=b': { type: 'string' },
    title: { type: 'string' },
    steers: { type: '\u001b[31m' },
  };
  keep(environment(), 'github', [
    tool('create', { type: 'object', properties, required: ['title', 7] }),
    tool('list', { properties: [] }),
    tool('bare'),
    { key: 'broken', json: '{' },
    { key: 'deep', json: '[]' },
  ]);
  const keys = [
    { name: 'title', type: 'string' },
    { name: 'body', type: 'string' },
    { name: 'level', type: 'low|high' },
    { name: 'count', type: 'integer|null' },
    { name: 'free', type: '' },
    { name: 'odd', type: '' },
    { name: 'steers', type: '' },
  ];
  const bare = ['list', 'bare', 'broken', 'deep'].map((name) => ({ name, keys: [] }));
  expect(JSON.parse(readFileSync(namesFile(environment()), 'utf8'))).toEqual({
    version: 1,
    servers: { github: { tools: [{ name: 'create', keys }, ...bare], tokens: expect.any(Number) } },
  });
  expect(known()).toEqual({ github: { tools: [{ name: 'create', keys }, ...bare], tokens: expect.any(Number) } });
});

test.skipIf(process.platform === 'win32')('is readable only by its owner', () => {
  keep(environment(), 'github', [tool('search')]);
  expect(statSync(namesFile(environment())).mode & 0o777).toBe(0o600);
  expect(statSync(join(folder, 'own')).mode & 0o777).toBe(0o700);
});

test('omits hostile names', () => {
  keep(environment(), '$(id)', [tool('search')]);
  expect(readdirSync(folder)).toEqual([]);
  keep(environment(), 'fine', [
    tool('`id`'),
    tool('a\nb'),
    tool('\u001b]0;x\u0007'),
    tool('x'.repeat(129)),
    tool('ok'),
  ]);
  expect(known()).toEqual({ fine: { tools: [{ name: 'ok', keys: [] }], tokens: expect.any(Number) } });
});

test('replaces a damaged or newer file', () => {
  for (const text of ['{"version":1,"ser', '{"version":2,"servers":{"new":{"tools":[]}}}']) {
    keep(environment(), 'other', []);
    writeFileSync(namesFile(environment()), text);
    keep(environment(), 'github', [tool('search')]);
    expect(known()).toEqual({ github: { tools: [{ name: 'search', keys: [] }], tokens: SEARCH_TOKENS } });
  }
});

test('does not rewrite unchanged names', () => {
  keep(environment(), 'github', [tool('search')]);
  keep(environment(), 'gitlab', [tool('search')]);
  const { ino } = statSync(namesFile(environment()));
  keep(environment(), 'github', [tool('search')]);
  expect(statSync(namesFile(environment())).ino).toBe(ino);
  keep(environment(), 'github', []);
  expect(known()).toEqual({
    gitlab: { tools: [{ name: 'search', keys: [] }], tokens: SEARCH_TOKENS },
    github: { tools: [], tokens: 0 },
  });
});

test('keeps the first of too many tools and the last of too many servers', () => {
  const tools = Array.from({ length: 600 }, (_, index) => tool(`t${index}`));
  keep(environment(), 'large', tools);
  expect(known()['large']?.tools.map(({ name }) => name)).toEqual(tools.slice(0, 500).map(({ key }) => key));
  const others = Array.from({ length: 200 }, (_, index) => ({ id: `s${index}`, tools: [] }));
  storeNames(environment(), others.slice(0, 199));
  expect(Object.keys(known())).toEqual(['large', ...others.slice(0, 199).map(({ id }) => id)]);
  storeNames(environment(), others.slice(199));
  expect(Object.keys(known())).toEqual(others.map(({ id }) => id));
});

test('stores a huge definition by name only, and the first of many keys', () => {
  const properties = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`k${index}`, {}]));
  keep(environment(), 'a', [tool('many', { properties }), tool('huge', { title: 'x'.repeat(70_000), properties })]);
  expect(known()['a']?.tools.map(({ name, keys }) => [name, keys.length])).toEqual([
    ['many', 64],
    ['huge', 0],
  ]);
});

test('never writes a file larger than the read limit', () => {
  const properties = Object.fromEntries(Array.from({ length: 64 }, (_, index) => [`k${index}${'x'.repeat(100)}`, {}]));
  const tools = Array.from({ length: 300 }, (_, index) => tool(`t${index}`, { properties }));
  for (const id of ['one', 'two', 'three']) keep(environment(), id, tools);
  expect(statSync(namesFile(environment())).size).toBeLessThanOrEqual(4 * 1024 * 1024);
  expect(Object.keys(known())).toEqual(['three']);
});

function keep(place: Environment, id: string, tools: readonly ToolText[]): void {
  storeNames(place, [{ id, tools }]);
}
