import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { VERSION } from '../src/base/version.ts';
import { trackProcesses } from './processes.ts';

const processes = trackProcesses();
const main = join(import.meta.dirname, '..', 'dist', 'cli', 'main.js');

function run(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [main, ...args], {
    env: processes.env(),
    encoding: 'utf8',
  });
  return { status, stdout, stderr };
}

test('the tour shows the gateway at work and leaves nothing running', () => {
  const { status, stdout, stderr } = run('tour');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toContain('You said: hello');
  expect(stdout).toContain('expected string, got number');
  expect(stdout).toContain('echo__echo  counter__count  counter__pid');
  expect(stdout).toMatch(
    /the counter, is killed\. The next call finds it restarted, counting from the start:\n {2}1\n/,
  );
  expect(stdout).toContain('Unknown tool: counter__cuont. Did you mean counter__count');
  expect(stdout).toContain('nothing is left running');
});

test('prints help and version on stdout', () => {
  expect(run('--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
  expect(run('--help')).toMatchObject({ status: 0, stdout: expect.stringContaining('tour'), stderr: '' });
  expect(run('tour', '--help')).toMatchObject({ status: 0, stdout: expect.stringMatching(/^switchboard tour: /) });
});

test('the help of the codex server lists its options and the documentation', () => {
  const { status, stdout, stderr } = run('codex', '--help');
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' });
  expect(stdout).toMatch(/^switchboard codex: (?:.+\n)+\nUsage: switchboard codex run "task" \[options\] /);
  expect(stdout).toMatch(/^ {7}switchboard codex \[options\] /m);
  expect(stdout.match(/^ {2}--[a-z-]+/gm)).toEqual(
    [
      ...['tools', 'engine', 'max-sandbox', 'allow-root', 'approvals', 'allow-dangerous', 'max-wait', 'no-events'],
      ...['http', 'auth', 'tls-cert', 'public-url'],
    ].map((name) => `  --${name}`),
  );
  expect(stdout).toContain('docs/codex.md');
});

test('names an unknown command with the next step on stderr', () => {
  expect(run('touhr')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'There is no command "touhr". Did you mean switchboard tour?\n',
  });
  expect(run('help', 'xyzzyx').stderr).toBe('There is no command "xyzzyx". See: switchboard --help\n');
  expect(run('__proto__').status).toBe(2);
  expect(JSON.parse(run('touhr', '--json').stderr)).toMatchObject({ error: { code: 'USAGE', retryable: false } });
});

test('the overview begins with the everyday commands, each with a description', () => {
  const lines = run('--help').stdout.split('\n');
  const everyday = lines.slice(lines.indexOf('Everyday commands:') + 1, lines.indexOf('Commands:') - 1);
  // A long description continues on the next line.
  const named = everyday.filter((line) => /^ {2}\S/.test(line));
  expect(named.map((line) => line.trim().split(/ {2,}/))).toEqual([
    ['list', expect.stringContaining('configured servers')],
    ['tools', expect.stringContaining('tools')],
    ['call', 'call a tool'],
    ['status', expect.stringContaining('status')],
    ['add', expect.stringContaining('add')],
    ['test', expect.stringContaining('connect to a server')],
    ['login', 'sign in to a server'],
    ['Also: get, set, unset, rename, remove, enable, disable, logout, ps'],
  ]);
});

test('the everyday verbs work without mcp, and the others are suggested with it', () => {
  expect(run('list', '--help').stdout).toBe(run('mcp', 'list', '--help').stdout);
  for (const name of ['add', 'list', 'test', 'login', 'call', 'tools', 'status', 'set', 'rename', 'remove'])
    expect(run(name, '--help')).toMatchObject({
      status: 0,
      stdout: expect.stringMatching(`^switchboard mcp ${name}: `),
      stderr: '',
    });
  // An exact verb takes precedence over a command with a similar name.
  expect(run('tool').stderr).toBe('There is no command "tool". Did you mean switchboard mcp tool?\n');
  expect(run('tols').stderr).toBe('There is no command "tols". Did you mean switchboard tools?\n');
  expect(run('logs').stderr).toBe('There is no command "logs". Did you mean switchboard status?\n');
  expect(run('mcp', 'logs').stderr).toBe(
    'There is no switchboard mcp logs. Did you mean switchboard mcp status? See: switchboard mcp --help\n',
  );
});

test('accepts help before or after a command, and -v as the version', () => {
  expect(run('-v').stdout).toBe(`${VERSION}\n`);
  expect(run('help', 'gateway').stdout).toBe(run('gateway', '--help').stdout);
  expect(run('help', 'mcp', 'add').stdout).toBe(run('mcp', 'add', '--help').stdout);
  expect(run('mcp', 'help', 'add').stdout).toBe(run('mcp', 'add', '--help').stdout);
  expect(run('help', 'add').stdout).toBe(run('mcp', 'add', '--help').stdout);
  expect(run('mcp', 'help', 'ad')).toMatchObject({
    status: 2,
    stderr: expect.stringContaining('switchboard mcp add?'),
  });
});

test('suggests the nearest option for a mistyped one', () => {
  expect(run('--hepl').stderr).toBe('There is no command "--hepl". Did you mean switchboard --help?\n');
  expect(run('hepl').stderr).toBe('There is no command "hepl". Did you mean switchboard help?\n');
  expect(run('version').stderr).toBe('There is no command "version". Did you mean switchboard --version?\n');
  expect(run('gateway', '--chek')).toEqual({
    status: 2,
    stdout: '',
    stderr: 'switchboard gateway does not accept "--chek". Did you mean --check? See: switchboard gateway --help\n',
  });
  expect(run('codex', '--max-sandbx=read-only').stderr).toContain('Did you mean --max-sandbox?');
});

test('limits help to 80 columns in a pipe', () => {
  for (const args of [['--help'], ['gateway', '--help'], ['codex', '--help'], ['mcp', '--help'], ['mcp', 'call', '-h']])
    for (const line of run(...args).stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80);
});

test.runIf(process.platform === 'linux')('wraps help, a check and an error between words on a terminal', () => {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-narrow-'));
  const inTerminal = (args: string) => {
    const line = `stty cols 60; cd "$PLACE"; exec "$NODE" "$MAIN" ${args}`;
    const env = processes.env({
      HOME: folder,
      SWITCHBOARD_HOME: folder,
      PLACE: folder,
      NODE: process.execPath,
      MAIN: main,
    });
    const { stdout } = spawnSync('script', ['-qec', line, '/dev/null'], { env, encoding: 'utf8', input: '' });
    return stripVTControlCharacters(stdout).replaceAll('\r', '').trimEnd().split('\n');
  };
  try {
    const shown = ['gateway --help', 'gateway --check', 'mcp get nothing-of-this-name', 'mcp call'].map(inTerminal);
    for (const lines of shown) {
      expect(lines.length).toBeGreaterThan(1);
      // Only commands to copy may be wider, because wrapping would break them.
      for (const line of lines) if (!/^(?:Run|See|Usage): /.test(line)) expect(line.length).toBeLessThanOrEqual(60);
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test.runIf(process.platform !== 'win32')(
  'in a deleted folder, runs what needs no folder, and reports an error otherwise, even to a connected client',
  { timeout: 30_000 },
  () => {
    const inDeleted = (input: string, ...args: string[]) => {
      const script = 'cd "$1" && rmdir "$1" && shift && exec "$@"';
      const folder = mkdtempSync(join(tmpdir(), 'switchboard-deleted-'));
      const { status, stdout, stderr } = spawnSync(
        '/bin/sh',
        ['-c', script, 'sh', folder, process.execPath, main, ...args],
        { env: processes.env(), encoding: 'utf8', input },
      );
      return { status, stdout, stderr };
    };
    expect(inDeleted('', '--version')).toEqual({ status: 0, stdout: `${VERSION}\n`, stderr: '' });
    expect(inDeleted('', 'mcp', '--help').status).toBe(0);
    expect(inDeleted('', 'completion', 'bash')).toMatchObject({ status: 0, stderr: '' });
    const gone = 'The working folder no longer exists. Change to an existing folder, then run the command again.\n';
    for (const args of [['mcp', 'list'], ['gateway', '--check'], ['trust']])
      expect({ args, ...inDeleted('', ...args) }).toEqual({ args, status: 2, stdout: '', stderr: gone });
    const hello = JSON.stringify({
      ...{ jsonrpc: '2.0', id: 1, method: 'initialize' },
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    });
    for (const args of [
      [],
      ['gateway'],
      ['gateway', '--config', main],
      ['gateway', '--', 'cat'],
      ['--', 'cat'],
      ['codex'],
    ])
      for (const input of ['', `${hello}\n`])
        expect({ args, ...inDeleted(input, ...args) }).toEqual({ args, status: 2, stdout: '', stderr: gone });
  },
);

test('does not fail if the reader closes stdout early', async () => {
  const tour = spawn(process.execPath, [main, 'tour'], { env: processes.env(), stdio: ['ignore', 'pipe', 'pipe'] });
  tour.stdout.destroy();
  const [err, [code]] = await Promise.all([text(tour.stderr), once(tour, 'exit')]);
  expect({ code, err }).toEqual({ code: 0, err: '' });
});
