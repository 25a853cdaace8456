import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readSourceFiles } from '../../config/files/source-files.ts';
import { readConfiguredIds } from './configured-ids.ts';
import { isCompletableName } from './known-names.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'switchboard-ids-'));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const environment = () => {
  return {
    cwd: join(folder, 'project'),
    home: folder,
    env: { SWITCHBOARD_HOME: join(folder, 'own') },
    platform: process.platform,
  };
};
function write(name: string, content: unknown): string {
  const file = join(folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
  return file;
}
const program = { command: '/usr/bin/server.py' };
const own = (...ids: readonly string[]) => ({
  version: 1,
  mcp: { servers: Object.fromEntries(ids.map((id) => [id, { transport: 'stdio', ...program }])) },
});

test('without a config there are none', () => expect(readConfiguredIds(environment())).toEqual([]));

test('a file that cannot be understood has none, and costs no other', () => {
  write('project/.switchboard/config.json', '{ "mcp": ');
  write('project/.mcp.json', '{"mcpServers": [7]}');
  write('.mcp.json', '"text"');
  mkdirSync(join(folder, '.codex/.mcp.json'), { recursive: true });
  write('own/config.json', own('kept'));
  expect(readConfiguredIds(environment())).toEqual(['kept']);
});

test('a named file that is not there has none', () => {
  write('own/config.json', own('other'));
  expect(readConfiguredIds(environment(), 'missing.json')).toEqual([]);
});

test('all files count, high to low, each id once, and only those that can be offered', () => {
  write('project/.switchboard/config.json', `\ufeff{ // mine\n${JSON.stringify(own('a', 'b')).slice(1, -1)}, }`);
  write('project/.mcp.json', {
    mcpServers: { b: program, 'my server': program, '$(id)': program, 'x\ny': program, '-x': program },
  });
  write('own/config.json', own('a', 'global'));
  write('.codex/.mcp.json', { mcpServers: { codex: program } });
  expect(readConfiguredIds(environment())).toEqual(['a', 'b', 'my server', 'global', 'codex']);
  expect(readConfiguredIds(environment(), '../own/config.json')).toEqual(['a', 'global']);
});

describe('the same ids as when the config is loaded', () => {
  test.each<[string, unknown]>([
    ['mcpServers', { mcpServers: { a: program, b: program } }],
    ['mcp_servers', { mcp_servers: { a: program } }],
    ['servers', { servers: { a: program } }],
    ['two shapes', { servers: { a: program }, mcpServers: { b: program } }],
    ['our own', own('a', 'b')],
    ['a list', [{ name: 'a', ...program }, program, { httpUrl: 'https://one.test/mcp', url: 'https://two.test/mcp' }]],
    ['one server', program],
    ['one address', { url: 'https://one.test/mcp' }],
    ['nothing', {}],
  ])('%s', (_, content) => {
    const file = write('named.json', content);
    const { files } = readSourceFiles({ ...environment(), explicitFile: file });
    const loaded = files.flatMap(({ entries }) => entries.map(({ id }) => id)).filter(isCompletableName);
    expect(readConfiguredIds(environment(), file)).toEqual(loaded);
  });
});
