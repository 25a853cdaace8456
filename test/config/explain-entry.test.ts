import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { entryKeys } from '../../src/config/entry/entry-keys.ts';
import { type ExplainedEntry, explainEntry } from '../../src/config/entry/explain-entry.ts';
import { type LoadOptions, loadDefinitions } from '../../src/config/load-config.ts';
import { acceptReview, reviewProject } from '../../src/config/trust/trust-review.ts';
import { useFolders } from './folder.ts';

const newFolder = useFolders();
const TRUST = { SWITCHBOARD_TRUST_PROJECT: '1' };
const GLOBAL = 'home/.config/switchboard/config.json';
const CODEX = 'home/.codex/.mcp.json';
const ref = (inner: string) => `\${${inner}}`;

const COMMON = [
  { key: 'enabled', shown: 'true' },
  { key: 'enabled_tools', shown: 'all' },
  { key: 'disabled_tools', shown: 'none' },
  { key: 'startup_timeout_ms', shown: 'the limit of the gateway' },
  { key: 'request_timeout_ms', shown: 'the limit of the gateway' },
  { key: 'start', shown: 'eager' },
  { key: 'pin', shown: 'false' },
  { key: 'restart', shown: 'overlap' },
  { key: 'share', shown: 'folder' },
];
const STDIO = [
  { key: 'args', shown: 'none' },
  { key: 'cwd', shown: 'where the gateway runs' },
  { key: 'env', shown: 'none' },
  { key: 'env_vars', shown: 'none' },
  { key: 'inherit_env', shown: 'false' },
  { key: 'framing', shown: 'ndjson' },
];

describe('an entry that cannot be explained', () => {
  test('has an unknown name, or is in a broken file', async () => {
    const folder = newFolder();
    folder.write(CODEX, '{ "mcpServers": { "a"');
    for (const name of ['a', '', '__proto__', 'toString'])
      expect(await explain(folder.testEnvironment(), name)).toBeUndefined();
  });

  test('is in an explicitly named file that cannot be used', async () => {
    const folder = newFolder();
    const file = join(folder.path, 'gone.json');
    await expect(explain({ ...folder.testEnvironment(), explicitFiles: [file] }, 'a')).rejects.toThrow(
      expect.objectContaining({ code: 'CONFIG_INVALID' }),
    );
  });
});

describe('the values of an entry', () => {
  test('have their file, line and layer, and secrets are omitted', async () => {
    const folder = newFolder();
    const file = folder.write(
      CODEX,
      `{ "mcpServers": {
  "a": {
    "command": "npx", "args": [
      "-y",
      "two words", "--token", "geheim"
    ],
    "env": { "KEY": "geheim",
      "TOKEN": "${ref('TOKEN')}", "A B": "geheim" },
    "env_vars": ["MORE"],
    "enabled_tools": [], "pin":
      true,
    "cwd": null, "unknown": "geheim", "": "geheim" } } }`,
    );
    const at = (key: string, shown: string, line: number) => ({ key, shown, file, line, layer: 'codex' });
    const unsaid = ['cwd', 'inherit_env', 'framing', ...COMMON.map(({ key }) => key)];
    expect(await explain(folder.testEnvironment(), 'a')).toEqual({
      id: 'a',
      values: [
        at('command', 'npx', 3),
        at('args[0]', '-y', 4),
        at('args[1]', '"two words"', 5),
        at('args[2]', '--token', 5),
        at('args[3]', '(value hidden)', 5),
        at('env.KEY', '(value hidden)', 7),
        at('env.TOKEN', ref('TOKEN'), 8),
        at('env["A B"]', '(value hidden)', 8),
        at('env_vars[0]', 'MORE', 9),
        at('enabled_tools', '[]', 10),
        at('pin', 'true', 11),
      ],
      defaults: [...STDIO, ...COMMON].filter(
        ({ key }) => unsaid.includes(key) && key !== 'enabled_tools' && key !== 'pin',
      ),
      overridden: [],
    });
  });

  test('are found in every dialect', async () => {
    const server = { command: 'run', args: ['x'] };
    const forms = [
      { mcpServers: { a: server } },
      { mcp_servers: { a: server } },
      { servers: { a: server } },
      { version: 1, mcp: { servers: { a: server } } },
      [{ command: 'other' }, { name: 'a', ...server }],
      { name: 'a', ...server },
    ];
    for (const form of forms) {
      const folder = newFolder();
      const file = folder.write('x.json', form);
      const explained = await explain({ ...folder.testEnvironment(), explicitFiles: [file] }, 'a');
      const text = readFileSync(file, 'utf8').split('\n');
      expect(explained?.values.map(({ key, shown }) => [key, shown])).toEqual([
        ['command', 'run'],
        ['args[0]', 'x'],
      ]);
      expect(explained?.values.map(({ line }) => text[line - 1]?.trim())).toEqual(['"command": "run",', '"x"']);
    }
  });

  test('of an HTTP server are those of its URL, headers and oauth', async () => {
    const folder = newFolder();
    const headers = { Authorization: 'geheim', 'X-Key': ref('KEY') };
    const oauth = { client_id: 'me', client_secret: 'geheim', token_url: 'https://a/t', other: 'geheim' };
    const url = 'https://me:geheim@example.com/mcp?key=geheim';
    folder.write(CODEX, { mcpServers: { a: { type: 'http', url, headers, oauth, command: 'unused' } } });
    const explained = await explain(folder.testEnvironment(), 'a');
    expect(shownOf(explained)).toEqual({
      url: '"https://(value hidden)@example.com/mcp?key=(value hidden)"',
      'headers.Authorization': '(value hidden)',
      'headers.X-Key': ref('KEY'),
      'oauth.client_id': 'me',
      'oauth.client_secret': '(value hidden)',
      'oauth.token_url': 'https://a/t',
      'oauth.other': '(value hidden)',
      type: 'http',
    });
    expect(explained?.defaults).toEqual([{ key: 'shareSignIn', shown: 'false' }, ...COMMON]);
  });

  test('are the effective ones when a setting has several spellings or is repeated', async () => {
    const folder = newFolder();
    const keys = '"timeout": 5, "request_timeout_ms": 7, "disabledTools": ["x"], "disabled": false';
    folder.write(CODEX, `{"mcpServers":{"a":{"command":"one",${keys},\n"command":"two"}}}`);
    const explained = await explain(folder.testEnvironment(), 'a');
    expect(shownOf(explained)).toEqual({
      command: 'two',
      request_timeout_ms: '7',
      'disabledTools[0]': 'x',
      disabled: 'false',
    });
    expect(explained?.values.find(({ key }) => key === 'command')?.line).toBe(2);
    const writtenKeys = ['enabled', 'disabled_tools', 'request_timeout_ms'];
    expect(explained?.defaults).toEqual([...STDIO, ...COMMON.filter(({ key }) => !writtenKeys.includes(key))]);
  });

  test('are shown for broken and disabled entries, as far as possible', async () => {
    const folder = newFolder();
    folder.write(CODEX, {
      mcpServers: {
        list: { command: 1, args: [['geheim'], { deep: [] }], env: ['geheim'], oauth: 'geheim' },
        number: 7,
        off: { enabled: false },
        text: { command: 'x', env: 'geheim' },
      },
    });
    expect(shownOf(await explain(folder.testEnvironment(), 'list'))).toEqual({
      command: '1',
      'args[0]': '[…]',
      'args[1]': '{…}',
      'env[0]': '(value hidden)',
      oauth: '(value hidden)',
    });
    expect(await explain(folder.testEnvironment(), 'number')).toEqual({
      ...{ id: 'number', values: [], defaults: COMMON, overridden: [] },
    });
    expect(shownOf(await explain(folder.testEnvironment(), 'off'))).toEqual({ enabled: 'false' });
    expect(shownOf(await explain(folder.testEnvironment(), 'text'))).toEqual({ command: 'x', env: '(value hidden)' });
  });

  test('are all those that the documentation names', () => {
    const page = readFileSync(new URL('../../docs/config.md', import.meta.url), 'utf8');
    const [table = ''] = /^\| key \|[\s\S]*?\n\n/m.exec(page) ?? [];
    const documented = [...table.matchAll(/^\| (`.*?) \|/gm)].map(([, cell = '']) =>
      [...cell.matchAll(/`(\w+)`/g)].map(([, name]) => name),
    );
    const known = entryKeys({ layer: 'codex', file: '/x', line: 1 }).flatMap(({ names }) => names);
    expect(documented.flat().toSorted()).toEqual(known.toSorted());
  });

  test('are explained for 40,000 arguments', async () => {
    const folder = newFolder();
    const args = Array.from({ length: 40_000 }, (_, index) => `a${index}`);
    folder.write(CODEX, { mcpServers: { a: { command: 'x', args } } });
    const { values = [] } = (await explain(folder.testEnvironment(), 'a')) ?? {};
    expect(values).toHaveLength(40_001);
    expect(values.at(-1)).toMatchObject({ key: 'args[39999]', line: 40_005 });
  });
});

describe('entries with the same name', () => {
  const one = (command: string) => ({ mcpServers: { a: { command } } });

  test('in lower layers are overridden, and name the overriding entry', async () => {
    const folder = newFolder();
    const project = folder.write('project/.mcp.json', one('near'));
    const above = folder.write('.mcp.json', one('far'));
    const codex = folder.write(CODEX, one('codex'));
    const explained = await explain(folder.testEnvironment(TRUST), 'a');
    const why = `the entry in ${project}:3 takes precedence`;
    expect(shownOf(explained)).toEqual({ command: 'near' });
    expect(explained?.defaults).toContainEqual({ key: 'cwd', shown: join(folder.path, 'project') });
    expect(explained?.overridden).toEqual([
      { layer: 'mcp-json', file: above, line: 3, why },
      { layer: 'codex', file: codex, line: 3, why },
    ]);
  });

  test('that are not trusted have no effect, and say how to trust them', async () => {
    const folder = newFolder();
    const project = folder.write('project/.mcp.json', one('near'));
    const global = folder.write(GLOBAL, { version: 1, mcp: { servers: { a: { command: 'global' } } } });
    const codex = folder.write(CODEX, one('codex'));
    const before = await explain(folder.testEnvironment(), 'a');
    expect(shownOf(before)).toEqual({ command: 'global' });
    expect(before?.overridden).toEqual([
      { layer: 'mcp-json', file: project, line: 3, why: `untrusted: run switchboard trust ${folder.path}/project` },
      { layer: 'codex', file: codex, line: 3, why: `the entry in ${global}:5 takes precedence` },
    ]);
    const options = { ...folder.testEnvironment(), dir: join(folder.path, 'project') };
    acceptReview(reviewProject(options), options);
    const after = await explain(folder.testEnvironment(), 'a');
    expect(shownOf(after)).toEqual({ command: 'near' });
    expect(after?.overridden.map(({ layer }) => layer)).toEqual(['global', 'codex']);
  });

  test('without any trust, the nearest is still explained', async () => {
    const folder = newFolder();
    folder.write('project/.mcp.json', one('near'));
    expect(shownOf(await explain(folder.testEnvironment(), 'a'))).toEqual({ command: 'near' });
  });
});

function shownOf(explained: ExplainedEntry | undefined): Record<string, string> {
  return Object.fromEntries(explained?.values.map(({ key, shown }) => [key, shown]) ?? []);
}

async function explain(options: LoadOptions, id: string): Promise<ExplainedEntry | undefined> {
  return explainEntry(await loadDefinitions(options), id);
}
