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

test('returns no ids without a config', () => expect(readConfiguredIds(environment())).toEqual([]));

test('skips an invalid file and reads the others', () => {
  write('project/.switchboard/config.json', '{ "mcp": ');
  write('project/.mcp.json', '{"mcpServers": [7]}');
  write('.mcp.json', '"text"');
  mkdirSync(join(folder, '.codex/.mcp.json'), { recursive: true });
  write('own/config.json', own('kept'));
  expect(readConfiguredIds(environment())).toEqual(['kept']);
});

test('returns no ids for a missing named file', () => {
  write('own/config.json', own('other'));
  expect(readConfiguredIds(environment(), 'missing.json')).toEqual([]);
});

test('reads all files by precedence, each id once, and omits unsafe ids', () => {
  write('project/.switchboard/config.json', `\ufeff{ // mine\n${JSON.stringify(own('a', 'b')).slice(1, -1)}, }`);
  write('project/.mcp.json', {
    mcpServers: { b: program, 'my server': program, '$(id)': program, 'x\ny': program, '-x': program },
  });
  write('own/config.json', own('a', 'global'));
  write('.codex/.mcp.json', { mcpServers: { codex: program } });
  expect(readConfiguredIds(environment())).toEqual(['a', 'b', 'my server', 'global', 'codex']);
  expect(readConfiguredIds(environment(), '../own/config.json')).toEqual(['a', 'global']);
});

describe('returns the same ids as loading the config', () => {
  test.each<[string, unknown]>([
    ['mcpServers', { mcpServers: { a: program, b: program } }],
    ['mcp_servers', { mcp_servers: { a: program } }],
    ['servers', { servers: { a: program } }],
    ['two dialects', { servers: { a: program }, mcpServers: { b: program } }],
    ['our own config', own('a', 'b')],
    [
      'an array',
      [{ name: 'a', ...program }, program, { httpUrl: 'https://one.test/mcp', url: 'https://two.test/mcp' }],
    ],
    ['one server', program],
    ['one URL', { url: 'https://one.test/mcp' }],
    ['nothing', {}],
  ])('%s', (_, content) => {
    const file = write('named.json', content);
    const { files } = readSourceFiles({ ...environment(), explicitFiles: [file] });
    const loaded = files.flatMap(({ entries }) => entries.map(({ id }) => id)).filter(isCompletableName);
    expect(readConfiguredIds(environment(), file)).toEqual(loaded);
  });
});
