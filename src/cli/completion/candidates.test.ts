import { describe, expect, test } from 'vitest';
import { completeWord } from './candidates.ts';
import type { NameSource } from './values.ts';

const tool = (name: string, ...keys: readonly (readonly [string, string])[]) => {
  return { name, keys: keys.map(([key, type]) => ({ name: key, type })) };
};
const create = tool(
  'create',
  ['title', 'string'],
  ['draft', 'boolean'],
  ['level', 'low|high'],
  ['count', 'integer|null'],
);
const servers = new Map([
  ['github', { tools: [create, tool('list')], tokens: 0 }],
  ['a.b', { tools: [tool('deep', ['x', ''])], tokens: 0 }],
  ['removed', { tools: [tool('gone')], tokens: 0 }],
]);
const names: NameSource = {
  serverIds: (config) => (config === undefined ? ['github', 'git-lab', 'a', 'a.b', 'my server'] : [`from ${config}`]),
  viewNames: (config) => (config === undefined ? ['review', 'write'] : []),
  knownServers: () => servers,
};
const nobody: NameSource = { serverIds: () => [], viewNames: () => [], knownServers: () => new Map() };

function words(line: string, from = names): readonly string[] {
  const typed = line.split(' ');
  return completeWord(typed.slice(0, -1), typed.at(-1) ?? '', from).map(({ word }) => word);
}

describe('returns no candidates if none are known', () => {
  test.each([
    'sb nosuch ',
    'sb mcp nosuch ',
    'sb mcp constructor ',
    'sb mcp get gi nosuch',
    'sb mcp add ne',
    'sb mcp add id --url htt',
    'sb mcp add id -- command --',
    'sb -- command g',
    'sb mcp get --config fi',
    'sb mcp get --config=fi',
    'sb mcp get --nosuch=v',
    'sb mcp call github.nosuch k',
    'sb mcp call removed.',
    'sb mcp call removed.gone k',
    'sb mcp call github.create title=x',
    'sb mcp call github.create count=',
    'sb tour x',
  ])('%j', (line) => expect(words(line)).toEqual([]));

  test('or with an empty config', () => {
    expect([words('sb mcp get g', nobody), words('sb mcp call g', nobody), words('sb mcp call a.b k', nobody)]).toEqual(
      [[], [], []],
    );
  });
});

test('completes commands with their descriptions', () => {
  expect(completeWord(['sb'], 'tr', names)).toEqual([
    {
      word: 'trust',
      description:
        'trust the servers of a project, or the quarantined tools of a server: switchboard trust [dir|server]',
    },
  ]);
  expect(words('sb --v')).toEqual(['--version']);
  expect(words('sb mcp lo')).toEqual(['login', 'logout']);
  expect(words('sb mcp resources ')).toEqual(['list', 'templates', 'read']);
  expect(words('sb completion ')).toEqual(['bash', 'zsh', 'fish']);
});

test('completes the remaining options of a command', () => {
  expect(words('sb mcp remove github --')).toEqual(['--scope', '--dry-run', '--json']);
  expect(words('sb mcp remove --json github --')).toEqual(['--scope', '--dry-run']);
  expect(words('sb mcp remove --scope=global github --')).toEqual(['--dry-run', '--json']);
  expect(words('sb mcp remove github ')).toEqual(['--scope', '--dry-run', '--json']);
  expect(words('sb mcp add x --env A=1 --en')).toEqual(['--enabled', '--env']);
  expect(words('sb mcp resources list --')).toEqual(['--verbose', '--direct', '--timeout', '--config', '--json']);
  expect(words('sb mcp resources read --o')).toEqual(['--output']);
  expect(words('sb codex run --')).toContain('--approve');
  expect(words('sb codex run --')).not.toContain('--tools');
  expect(words('sb set github req')).toEqual(['request_timeout_ms=']);
});

test('completes option values', () => {
  expect(words('sb mcp remove --scope ')).toEqual(['project', 'global']);
  expect(words('sb mcp remove --scope=g')).toEqual(['--scope=global']);
  expect(words('sb gateway --profile codex')).toEqual(['codex', 'codex-legacy']);
  expect(words('sb gateway --view r')).toEqual(['review']);
  expect(words('sb mcp tools --view=')).toEqual(['--view=review', '--view=write']);
  expect(words('sb codex --max-sandbox=r')).toEqual(['--max-sandbox=read-only']);
  expect(words('sb mcp tools --server git')).toEqual(['github', 'git-lab']);
  expect(words('sb gateway --only github,g')).toEqual(['github,git-lab']);
  expect(words('sb gateway --only=github,g')).toEqual(['--only=github,git-lab']);
  expect(words('sb gateway --explain github.')).toEqual(['github.create', 'github.list']);
  expect(words('sb mcp add x --arg --scope --scope=p')).toEqual(['--scope=project']);
});

test('completes servers from the config file named on the line', () => {
  for (const verb of ['get', 'remove', 'enable', 'disable', 'test', 'login', 'logout', 'status', 'tools'])
    expect(words(`sb mcp ${verb} g`)).toEqual(['github', 'git-lab']);
  expect(words('sb trust g')).toEqual(['github', 'git-lab']);
  expect(words('sb /mcp g')).toEqual(['github', 'git-lab']);
  expect(words('sb mcp resources read g')).toEqual(['github', 'git-lab']);
  expect(words('sb mcp prompts get g')).toEqual(['github.', 'git-lab.']);
  expect(words('sb mcp get --config x.json f')).toEqual(['from x.json']);
  expect(words('sb mcp get --config=x.json f')).toEqual(['from x.json']);
});

test('completes tools in two steps: the server, then its tools', () => {
  expect(words('sb mcp call g')).toEqual(['github.', 'git-lab.']);
  expect(words('sb mcp tool github.')).toEqual(['github.create', 'github.list']);
  expect(words('sb mcp call a.')).toEqual(['a.b.']);
  expect(words('sb mcp call a.b.')).toEqual(['a.b.deep']);
});

test('completes tool keys with their types, and values if there are few', () => {
  expect(completeWord(['sb', 'mcp', 'call', 'github.create', 'title=x'], '', names)).toEqual([
    { word: 'draft=', description: 'boolean' },
    { word: 'level=', description: 'low|high' },
    { word: 'count=', description: 'integer|null' },
  ]);
  expect(words('sb mcp call github.create count:=1 --json c')).toEqual([]);
  expect(words('sb mcp call github.create draft=')).toEqual(['draft=true', 'draft=false']);
  expect(words('sb mcp call github.create level=h')).toEqual(['level=high']);
  expect(words('sb mcp call a.b.deep ')).toEqual(['x=']);
});
