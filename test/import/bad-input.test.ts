import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { GLOBAL, PROJECT, serversIn, useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { writeFiveClients } from './home.ts';

const newTestbed = useTestbeds(trackProcesses());
const CURSOR = '.cursor/mcp.json';
const isRoot = process.getuid?.() === 0;

describe('a file that cannot be used', () => {
  test.each([
    ['broken JSON', '{\n  "mcpServers": {\n    "a": }\n}', ':3: Not JSON at column 10: expected a value.'],
    ['an unclosed comment', '{ /* }', ':1: Not JSON at column 3: the comment that begins here is not closed.'],
    ['an empty file', '', ':1: The file is empty'],
    ['a list of servers as text', '{"mcpServers": "x"}', ':1: mcpServers must be an object, but is a string.'],
  ])('%s is a warning, and all other clients are imported', async (_, content, expected) => {
    const testbed = newTestbed();
    writeFiveClients(testbed);
    testbed.write(CURSOR, content);
    const { status, stderr } = await testbed.run(['import', '--all']);
    expect(status).toBe(0);
    expect(stderr).toContain(`Warning: ${testbed.path(CURSOR)}${expected}`);
    expect(Object.keys(serversIn(testbed, GLOBAL))).toEqual(['reports', 'docs', 'search', 'database']);
    const named = await testbed.run(['import', '--all', '--from', 'cursor']);
    expect(named).toMatchObject({ status: 7, stdout: '', stderr: expect.stringContaining(expected) });
  });

  test('is an error if no other client has servers', async () => {
    const testbed = newTestbed();
    testbed.write('.codex/config.toml', 'a = 1\n[mcp_servers.x\n');
    const { status, stdout, stderr } = await testbed.run(['import', '--all']);
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' });
    expect(stderr).toContain(`${testbed.path('.codex/config.toml')}:2: Not TOML at column`);
  });

  test.each([
    ['an unknown JSON file', 'x.json', '{"a": 1}', ':1: No servers found'],
    ['YAML, which no known client uses,', 'x.yaml', 'mcpServers:\n', ': Switchboard reads JSON and TOML, not YAML'],
    ['TOML without servers', 'x.toml', 'a = 1', ':1: No servers found: expected tables such as [mcp_servers.name]'],
  ])('%s is an error, not an empty list', async (_, name, content, expected) => {
    const testbed = newTestbed();
    const file = testbed.write(name, content);
    const { status, stdout, stderr } = await testbed.run(['import', '--all', '--from', file]);
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' });
    expect(stderr).toContain(`${file}${expected}`);
  });

  test('a missing file and a missing client are errors with the next step', async () => {
    const testbed = newTestbed();
    const file = await testbed.run(['import', '--from', 'nothing.json', '--all']);
    expect(file).toMatchObject({ status: 7, stdout: '' });
    expect(file.stderr).toContain('nothing.json does not exist. Give a file, - for stdin, or one of codex, claude');
    const client = await testbed.run(['import', '--from', 'zed', '--all']);
    expect(client).toMatchObject({ status: 7, stdout: '' });
    expect(client.stderr).toContain('Zed has no config here. Switchboard looked for');
  });

  test.runIf(isRoot)('a file of another user is refused, also behind a link of our own', async () => {
    const testbed = newTestbed();
    const file = testbed.write('theirs.json', { mcpServers: { a: { command: 'x' } } });
    chownSync(file, 12_345, 12_345);
    mkdirSync(testbed.path('.cursor'));
    symlinkSync(file, testbed.path(CURSOR));
    const { status, stdout, stderr } = await testbed.run(['import', '--all']);
    expect({ status, stdout }).toEqual({ status: 7, stdout: '' });
    expect(stderr).toContain('The file belongs to another user (uid 12345; yours is 0)');
  });

  test('a link to a file of our own, and a read-only file, are imported', async () => {
    const testbed = newTestbed();
    const file = testbed.write('dotfiles/mcp.json', { mcpServers: { a: { command: 'x' } } });
    chmodSync(file, 0o400);
    mkdirSync(testbed.path('.cursor'));
    symlinkSync(file, testbed.path(CURSOR));
    expect(await testbed.run(['import', '--all'])).toMatchObject({ status: 0 });
    expect(Object.keys(serversIn(testbed, GLOBAL))).toEqual(['a']);
  });
});

test('a file of a project cannot copy files from outside of it', async () => {
  const testbed = newTestbed();
  testbed.write('private.txt', 'PRIVATE=s3cret-content');
  testbed.write('project/inside.env', 'INSIDE=1');
  const read = (envFile: string) => ({ command: 'x', envFile });
  testbed.write('project/.cursor/mcp.json', {
    mcpServers: { outside: read(`\${userHome}/private.txt`), inside: read(`\${workspaceFolder}/inside.env`) },
  });
  testbed.write('project/opencode.json', {
    mcp: { file: { type: 'remote', url: 'https://x.example', headers: { A: '{file:~/private.txt}' } } },
  });
  const { status, stdout } = await testbed.run(['import', '--all']);
  expect(status).toBe(0);
  expect(stdout).toContain('not carried over: envFile (the file cannot be read: set its variables yourself)');
  expect(testbed.read(PROJECT)).not.toContain('s3cret-content');
  expect(serversIn(testbed, PROJECT)).toMatchObject({ outside: { command: 'x' }, inside: { env: { INSIDE: '1' } } });
});

describe('nothing is written', () => {
  test.each([
    ['without a terminal', [], 2, 'Run switchboard import --all, or name servers: switchboard import reports.'],
    ['without a terminal, with --json', ['--json'], 2, 'there is no terminal to ask which to import'],
    [
      'for an unknown name',
      ['reprts'],
      2,
      'No client has a server reprts. Nothing was imported. Did you mean reports?',
    ],
    ['for an unknown option', ['--al'], 2, 'Did you mean --all?'],
    ['for an unknown scope', ['--scope', 'user'], 2, '--scope must be project or global, not user.'],
  ])('%s', async (_, args, status, expected) => {
    const testbed = newTestbed();
    writeFiveClients(testbed);
    const ran = await testbed.run(['import', ...args]);
    expect(ran.status).toBe(status);
    expect(ran.stderr).toContain(expected);
    expect(testbed.exists('own')).toBe(false);
  });

  test.each([
    ['config.json', '{"version":1,'],
    ['config.json', '{"version":2}'],
    ['secrets.json', '{"version":1,'],
    ['clients.json', '[]'],
  ])('if %s is damaged or newer', async (name, content) => {
    const testbed = newTestbed();
    writeFiveClients(testbed);
    testbed.write(`own/${name}`, content);
    const ran = await testbed.run(['import', '--all']);
    expect(ran.status).toBe(7);
    expect(ran.stderr).toContain(name);
    expect(testbed.read(`own/${name}`)).toBe(content);
    const others = ['config.json', 'secrets.json', 'clients.json'].filter((other) => other !== name);
    expect(others.filter((other) => testbed.exists(`own/${other}`))).toEqual([]);
  });

  test('if our folder is not a folder', async () => {
    const testbed = newTestbed();
    writeFiveClients(testbed);
    writeFileSync(testbed.path('own'), 'a file');
    const ran = await testbed.run(['import', '--all']);
    expect(ran.status).toBe(7);
    expect(testbed.read('own')).toBe('a file');
  });

  test('if no client is installed', async () => {
    const testbed = newTestbed();
    const { status, stdout, stderr } = await testbed.run(['import']);
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
    expect(stdout).toContain('No config of another client was found. Switchboard knows Codex, Claude Code,');
    expect(testbed.exists('own')).toBe(false);
  });
});
