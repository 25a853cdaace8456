import { chmodSync, chownSync, lstatSync, mkdirSync, readdirSync, statSync, symlinkSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { answerOnTerminal } from '../mcp/answer-on-terminal.ts';
import { useTestbeds } from '../mcp/testbed.ts';
import { trackProcesses } from '../processes.ts';
import { modeOf } from '../temporary-folder.ts';
import { readContent } from './client-contract.ts';

const processes = trackProcesses();
const newTestbed = useTestbeds(processes);
const FILE = '.cursor/mcp.json';
const TEXT = '{\n  "mcpServers": {\n    "web": { "command": "true", "env": { "TOKEN": "very-secret-1" } }\n  }\n}\n';

function open(text = TEXT) {
  const testbed = newTestbed();
  testbed.write(FILE, text);
  return testbed;
}

describe('asks first', () => {
  test('writes nothing without a terminal, and says what to type', async () => {
    const testbed = open();
    const { status, stdout, stderr } = await testbed.run(['connect', 'cursor']);
    expect(status).toBe(2);
    expect(stderr).toContain('run: switchboard connect cursor --yes');
    expect(stdout).toContain('+    "switchboard": {');
    expect(stdout).not.toContain('very-secret-1');
    expect([testbed.read(FILE), testbed.exists('own')]).toEqual([TEXT, false]);
  });

  test.each([
    ['y', 0, true],
    ['n', 9, false],
  ])('the answer %s on a terminal exits with %i', async (answer, status, isConnected) => {
    const testbed = open();
    const result = await answerOnTerminal(testbed, processes, {
      command: 'connect',
      args: ['cursor'],
      question: '[y/N]',
      answer,
    });
    expect(result.status).toBe(status);
    expect(testbed.read(FILE) !== TEXT).toBe(isConnected);
  });

  test('a dry run writes nothing', async () => {
    const testbed = open();
    const { status, stdout } = await testbed.run(['connect', 'cursor', '--dry-run', '--json']);
    expect(status).toBe(0);
    expect(JSON.parse(stdout).clients).toEqual([
      {
        client: 'cursor',
        file: testbed.path(FILE),
        status: 'planned',
        created: false,
        disabled: [],
        sees: { servers: 0, tools: 0, estimatedTokens: 0, unknownServers: 0 },
      },
    ]);
    expect([testbed.read(FILE), testbed.exists('own')]).toEqual([TEXT, false]);
  });

  test('an unknown client is suggested, not guessed', async () => {
    const { status, stderr } = await open().run(['connect', 'curser', '--yes']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('Did you mean cursor?')]);
  });
});

describe('a file that must not be written stays as it is', () => {
  test('read-only', async () => {
    const testbed = open();
    chmodSync(testbed.path(FILE), 0o444);
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('The file is read-only')]);
    expect(testbed.read(FILE)).toBe(TEXT);
  });

  test.skipIf(process.getuid?.() !== 0)('owned by another user', async () => {
    const testbed = open();
    chownSync(testbed.path(FILE), 12345, 12345);
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('it belongs to another user')]);
    expect([testbed.read(FILE), statSync(testbed.path(FILE)).uid]).toEqual([TEXT, 12345]);
  });

  test('a folder', async () => {
    const testbed = newTestbed();
    mkdirSync(testbed.path(FILE), { recursive: true });
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('This is not a regular file')]);
  });

  test('a link in a repository', async () => {
    const testbed = newTestbed();
    testbed.write('.git/HEAD', 'ref: refs/heads/main\n');
    testbed.write('elsewhere.json', TEXT);
    mkdirSync(testbed.path('.cursor'));
    symlinkSync(testbed.path('elsewhere.json'), testbed.path(FILE));
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('is a symbolic link in a repository')]);
    expect(testbed.read('elsewhere.json')).toBe(TEXT);
  });

  test('with a server named switchboard that starts something else', async () => {
    const text = '{ "mcpServers": { "switchboard": { "command": "phone" } } }';
    const testbed = open(text);
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, stderr]).toEqual([2, expect.stringContaining('already has a server named switchboard')]);
    expect(testbed.read(FILE)).toBe(text);
  });

  test('if our own folder cannot be written', async () => {
    const testbed = open();
    testbed.write('own', 'a file instead of a folder');
    const { status, stderr } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('cannot be')]);
    expect(testbed.read(FILE)).toBe(TEXT);
  });

  test('if the backup cannot be written, and nothing is recorded', async () => {
    const testbed = open();
    testbed.write('own/backups', 'a file instead of a folder');
    const { status } = await testbed.run(['connect', 'cursor', '--yes']);
    expect([status, testbed.read(FILE), testbed.exists('own/connections.json')]).toEqual([7, TEXT, false]);
  });
});

describe('without names, a client that cannot be connected is skipped', () => {
  const BROKEN = '{ "mcpServers": {';

  test('with a warning, and the others are connected', async () => {
    const testbed = open();
    testbed.write('.codeium/windsurf/mcp_config.json', BROKEN);
    const { status, stdout, stderr } = await testbed.run(['connect', '--yes']);
    expect([status, stderr]).toEqual([0, expect.stringContaining('Warning: Skipped Windsurf. ')]);
    expect(stdout).toContain('Connected Cursor. ');
    expect(testbed.read('.codeium/windsurf/mcp_config.json')).toBe(BROKEN);
  });

  test('and --json lists it', async () => {
    const testbed = open();
    testbed.write('.codeium/windsurf/mcp_config.json', BROKEN);
    const { stdout, stderr } = await testbed.run(['connect', '--yes', '--json']);
    expect([stderr, JSON.parse(stdout)]).toMatchObject(['', { clients: [{ client: 'cursor' }] }]);
    expect(JSON.parse(stdout).skipped).toMatchObject([{ client: 'windsurf', title: 'Windsurf' }]);
  });

  test('but it is an error if there is no other', async () => {
    const testbed = open(BROKEN);
    const { status, stderr } = await testbed.run(['connect', '--yes']);
    expect([status, stderr]).toEqual([7, expect.stringContaining('mcp.json:1: Not JSON')]);
  });
});

describe('an unusual file is changed', () => {
  test("through the user's own link, with its permissions", async () => {
    const testbed = newTestbed();
    testbed.write('dotfiles/mcp.json', TEXT);
    chmodSync(testbed.path('dotfiles/mcp.json'), 0o640);
    mkdirSync(testbed.path('.cursor'));
    symlinkSync('../dotfiles/mcp.json', testbed.path(FILE));
    expect((await testbed.run(['connect', 'cursor', '--yes'])).status).toBe(0);
    expect(lstatSync(testbed.path(FILE)).isSymbolicLink()).toBe(true);
    expect(modeOf(testbed.path('dotfiles/mcp.json'))).toBe('640');
    expect(testbed.read('dotfiles/mcp.json')).toContain('switchboard');
    await testbed.run(['disconnect', '--yes']);
    expect(testbed.read('dotfiles/mcp.json')).toBe(TEXT);
  });

  test.each([
    ['with a byte order mark and Windows line ends', `\ufeff${TEXT.replaceAll('\n', '\r\n')}`],
    ['with comments and trailing commas', '// a\n{ "mcpServers": { /* b */ "web": { "command": "true", }, }, } // c'],
    ['that is empty', ''],
    ['without servers', '{"other": 1}'],
  ])('%s', async (_, text) => {
    const testbed = open(text);
    expect((await testbed.run(['connect', 'cursor', '--yes'])).status).toBe(0);
    expect(testbed.read(FILE)).toContain('"switchboard"');
    await testbed.run(['disconnect', '--yes']);
    expect(testbed.read(FILE)).toBe(text);
  });

  test('that already starts our gateway: that entry comes back', async () => {
    const text = '{ "mcpServers": { "switchboard": { "command": "npx", "args": ["switchboard", "gateway"] } } }';
    const testbed = open(text);
    await testbed.run(['connect', 'cursor', '--yes']);
    expect(testbed.read(FILE)).toContain('own/bin/switchboard');
    testbed.write(FILE, { ...Object(readContent(testbed, FILE)), later: 1 });
    await testbed.run(['disconnect', '--yes']);
    expect(readContent(testbed, FILE)).toEqual({ ...JSON.parse(text), later: 1 });
  });
});

describe('at the same time', () => {
  test('eight connects of two clients leave one entry in each, and disconnect restores both', async () => {
    const testbed = open();
    testbed.write('.codeium/windsurf/mcp_config.json', TEXT);
    const clients = Array.from({ length: 8 }, (_, index) => (index % 2 === 0 ? 'cursor' : 'windsurf'));
    const results = await Promise.all(clients.map((client) => testbed.run(['connect', client, '--yes'])));
    expect(results.map(({ status }) => status)).toEqual(clients.map(() => 0));
    expect(readdirSync(testbed.path('own/backups'))).toHaveLength(2);
    await testbed.run(['disconnect', '--yes']);
    expect([testbed.read(FILE), testbed.read('.codeium/windsurf/mcp_config.json')]).toEqual([TEXT, TEXT]);
  });
});

test('backups, records and the launcher have the right permissions', async () => {
  const testbed = open();
  await testbed.run(['connect', 'cursor', '--yes']);
  const [backup = ''] = readdirSync(testbed.path('own/backups'));
  const files = ['own', 'own/backups', `own/backups/${backup}`, 'own/connections.json', 'own/bin/switchboard'];
  expect(files.map((file) => modeOf(testbed.path(file)))).toEqual(['700', '700', '600', '600', '755']);
});
