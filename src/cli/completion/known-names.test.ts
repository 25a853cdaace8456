import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isCompletableName, namesFile, readKnownNames } from './known-names.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-names-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const environment = () => ({
  cwd: folder,
  home: folder,
  env: { SWITCHBOARD_HOME: folder },
  platform: process.platform,
});
const write = (content: unknown) =>
  writeFileSync(namesFile(environment()), typeof content === 'string' ? content : JSON.stringify(content));

describe('an unusable names file yields no names', () => {
  test.each<[string, unknown]>([
    ['invalid JSON', '{"version":1,'],
    ['an empty file', ''],
    ['an array', []],
    ['null', null],
    ['no version', { servers: { a: { tools: [] } } }],
    ['a newer version', { version: 2, servers: { a: { tools: [] } } }],
    ['no servers', { version: 1 }],
    ['servers as an array', { version: 1, servers: [{ tools: [] }] }],
    ['a file over the size limit', `{"version":1,"servers":{"a":{"tools":[]}}}${' '.repeat(4 * 1024 * 1024)}`],
  ])('%s', (_, content) => {
    write(content);
    expect(readKnownNames(environment())).toEqual(new Map());
  });

  test('a missing file', () => expect(readKnownNames(environment())).toEqual(new Map()));

  test('a folder at its path', () => {
    mkdirSync(namesFile(environment()));
    expect(readKnownNames(environment())).toEqual(new Map());
  });
});

test('skips only the invalid parts', () => {
  const good = { name: 'search', keys: [{ name: 'query', type: 'string' }] };
  const odd = {
    name: 'odd',
    keys: [
      7,
      { name: '$(id)', type: '' },
      { name: 'a=b', type: '' },
      { name: 'limit', type: '\u001b[31m' },
      { name: 'x' },
    ],
  };
  const servers = {
    fine: { tokens: 120, tools: [good, odd, { name: 'a\nb', keys: [] }, { keys: [] }, null, { name: 'bare' }] },
    '`id`': { tools: [good] },
    broken: 7,
    empty: {},
  };
  write({ version: 1, servers });
  const keys = [
    { name: 'limit', type: '' },
    { name: 'x', type: '' },
  ];
  expect([...readKnownNames(environment())]).toEqual([
    ['fine', { tools: [good, { name: 'odd', keys }, { name: 'bare', keys: [] }], tokens: 120 }],
    ['broken', { tools: [], tokens: 0 }],
    ['empty', { tools: [], tokens: 0 }],
  ]);
});

test.each([
  'github',
  'my server',
  'a.b',
  "it's",
  '"quoted"',
  '@scope/name',
  'ns:one',
  'dev (local) & more',
  'größe',
  'サーバー',
  '.hidden',
  'a=b',
  'x'.repeat(128),
])('offers %j', (name) => expect(isCompletableName(name)).toBe(true));

test.each([
  '',
  ' ',
  ' a',
  'a ',
  '-rf',
  '=a',
  '--config',
  '~root',
  '$(id)',
  'a$b',
  '`id`',
  'a`',
  'a;b',
  'a|b',
  'a>b',
  'a\\b',
  'a!b',
  'a\nb',
  'a\tb',
  'a\rb',
  '\u001b[31m',
  'a\u009b31m',
  'a\u202eb',
  'a\u200bb',
  'a\u3164',
  'a\ufe01',
  'a\ud800',
  'a\u2028b',
  '\u0301a',
  'x'.repeat(129),
])('does not offer %j', (name) => expect(isCompletableName(name)).toBe(false));
