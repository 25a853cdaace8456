import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { isAppError } from '../../src/base/errors.ts';
import { openProcesses, type Processes } from '../../src/base/process/processes.ts';
import type { SpawnOptions } from '../../src/base/process/spawn.ts';
import { trackProcesses } from '../processes.ts';
import { firstLine, fixture } from './fixture.ts';

const tracker = trackProcesses();
let processes: Processes;
let folder: string;

beforeEach(() => {
  processes = openProcesses({ env: tracker.env() });
  folder = mkdtempSync(join(tmpdir(), 'switchboard-spawn-'));
});

afterEach(async () => {
  await processes.close();
  rmSync(folder, { recursive: true });
});

const node = (name: string, ...args: readonly string[]): SpawnOptions => ({
  command: process.execPath,
  args: [fixture(name), ...args],
  env: tracker.env(),
});

describe('a program that cannot be started', () => {
  const cases: readonly (readonly [string, () => Partial<SpawnOptions>, RegExp])[] = [
    [
      'an unknown command',
      () => ({ command: 'no-such-thing' }),
      /^Spawn error: command not found: no-such-thing\. Check PATH/,
    ],
    [
      'an unknown path',
      () => ({ command: '/no/such' }),
      /^Spawn error: command not found: \/no\/such\. This file does not exist$/,
    ],
    [
      'an unknown path from its working folder',
      () => ({ command: './no/such', cwd: folder }),
      /^Spawn error: command not found: \.\/no\/such\. There is no file \/.*\/no\/such$/,
    ],
    [
      'a path with a variable',
      () => ({ command: '$HOME/bin/x' }),
      /^Spawn error: command not found: \$HOME\/bin\/x\. Variables are not expanded in command: write the full path$/,
    ],
    [
      'a path with a variable in braces',
      () => ({ command: `\${${'TOOLS'}}/x` }),
      /^Spawn error: command not found: .* Variables are not expanded in command: write the full path$/,
    ],
    [
      'a path with a dollar sign that is no variable',
      () => ({ command: '/no/such$' }),
      /^Spawn error: command not found: \/no\/such\$\. This file does not exist$/,
    ],
    [
      'a path and its arguments',
      () => ({ command: '/no/such x.js' }),
      /\. This file does not exist\. It contains a space: arguments belong in args$/,
    ],
    [
      'a whole command line',
      () => ({ command: 'node x.js' }),
      /Check PATH, .* It contains a space: arguments belong in args$/,
    ],
    [
      'a missing folder',
      () => ({ cwd: `${folder}/nowhere` }),
      /^Spawn error: the working folder does not exist: .*nowhere$/,
    ],
    [
      'a missing folder and command',
      () => ({ command: 'nope', cwd: `${folder}/x` }),
      /working folder does not exist: .*x$/,
    ],
    [
      'a file as folder',
      () => ({ cwd: file('plain', '') }),
      /^Spawn error: the working folder is not a folder: .*plain$/,
    ],
    ['a file without permission', () => ({ command: file('plain', '') }), /^Spawn error: not executable: .*plain\./],
    ['a folder as command', () => ({ command: folder }), /^Spawn error: not executable: /],
    [
      // The system reports EACCES, as for a folder in PATH that may not be searched.
      'a name that only a folder on PATH has',
      () => ({ command: basename(folder), env: { PATH: dirname(folder) } }),
      /^Spawn error: command not found: /,
    ],
    [
      'a lost interpreter',
      () => ({ command: file('run', '#!/no/such\n', 0o755) }),
      /^Spawn error: the interpreter .*run does/,
    ],
    ['too many arguments', () => ({ args: Array(40).fill('x'.repeat(100_000)) }), /^Spawn error: .*E2BIG/],
    ['an empty command', () => ({ command: ' ' }), /^Spawn error: the command is empty/],
    ['a NUL in the command', () => ({ command: 'a\0b' }), /^Spawn error: the command contains a NUL byte$/],
    ['a NUL in an argument', () => ({ args: ['a', 'b\0c'] }), /^Spawn error: argument 2 contains a NUL byte$/],
    ['a NUL in the folder', () => ({ cwd: '/\0' }), /^Spawn error: the working folder contains a NUL byte$/],
    ['a NUL in the environment', () => ({ env: { KEY: 'secret\0' } }), /^Spawn error: environment variable "KEY" /],
    [
      'a bad name in the environment',
      () => ({ env: { 'A=B': 'secret' } }),
      /^Spawn error: environment variable "A=B" /,
    ],
  ];

  test.each(cases)('is a SPAWN_FAILED with the reason: %s', async (_, change, message) => {
    const options = { ...node('well-behaved', 'secret'), ...change() };
    const error = await processes.spawn(options).catch((thrown: unknown) => thrown);
    if (!isAppError(error)) throw new Error('expected an AppError', { cause: error });
    expect(error.code).toBe('SPAWN_FAILED');
    expect(error.message).toMatch(message);
    expect(inspect(error, { depth: 9 })).not.toContain('secret');
  });

  test('detects a missing interpreter on PATH too', async () => {
    file('tool', '#!/no/such\n', 0o755);
    const options = { command: 'tool', env: { PATH: `/nowhere:${folder}` } };
    await expect(processes.spawn(options)).rejects.toThrow(`the interpreter in the first line of ${folder}/tool`);
  });
});

describe('a started program', () => {
  test('gets its arguments, its folder and exactly its environment, without a shell', async () => {
    const args = ['$HOME', '*', 'a b', '"', ''];
    const options = { ...node('prints-environment', ...args), env: { A: '1', B: undefined }, cwd: folder };
    const printed = JSON.parse(await text((await processes.spawn(options)).stdout));
    expect(printed).toEqual({ args, cwd: folder, env: { A: '1', SWITCHBOARD_MARK: expect.any(String) } });
    expect(printed.env.SWITCHBOARD_MARK).toMatch(/^test-[-0-9a-f]+\/[0-9a-f]{32}\/1\/$/);
  });

  test('communicates over stdin and stdout', async () => {
    const echo = await processes.spawn(node('well-behaved'));
    expect(await firstLine(echo.stdout)).toBe('ready');
    echo.stdin.end('hello');
    expect(await text(echo.stdout)).toBe('hello');
    expect(await echo.exited).toEqual({ code: 0, signal: null });
    expect(await echo.treeExited).toEqual({ reason: 'exited', stage: 'none', survivors: [] });
  });

  test('leaves its stderr tail if it exits at once', async () => {
    const dying = await processes.spawn(node('dies-at-once'));
    expect(await dying.exited).toEqual({ code: 3, signal: null });
    expect(dying.stderrTail()).toEqual(['reading config', 'no such file: config.json']);
  });

  test('reports the signal that ended it', async () => {
    const dying = await processes.spawn(node('dies-by-signal'));
    expect(await dying.exited).toEqual({ code: null, signal: 'SIGKILL' });
  });

  test('does not break us by closing its stdin', async () => {
    // However long a busy machine takes to stop it.
    const deaf = await processes.spawn({ ...node('closes-stdin'), deadlines: { termMs: 30_000 } });
    await firstLine(deaf.stdout);
    const error = await new Promise((resolve) => deaf.stdin.write('x', resolve));
    expect(error).toMatchObject({ code: 'EPIPE' });
    expect(await deaf.stop()).toMatchObject({ stage: 'term' });
  });
});

describe('the stderr tail', () => {
  test('is the last 4 KB in whole lines, and every line reaches the callback', async () => {
    let count = 0;
    const flood = await processes.spawn({ ...node('floods-stderr'), onStderrLine: () => count++ });
    await flood.exited;
    const tail = flood.stderrTail();
    const first = 50_001 - tail.length;
    expect(tail).toEqual(tail.map((_, index) => `line ${first + index} äöü€😀`));
    expect(Buffer.byteLength(`${tail.join('\n')}\n`)).toBeGreaterThan(4_000);
    expect(Buffer.byteLength(`${tail.join('\n')}\n`)).toBeLessThanOrEqual(4_096);
    expect(count).toBe(50_000);
  });

  test('keeps the end of an oversized line', async () => {
    const endless = await processes.spawn(node('writes-endless-line'));
    await endless.exited;
    expect(endless.stderrTail()).toEqual(['😀'.repeat(1_023)]);
  });

  test('is valid text however the bytes are split', async () => {
    const lines: string[] = [];
    const split = await processes.spawn({ ...node('splits-characters'), onStderrLine: (line) => lines.push(line) });
    await split.exited;
    expect(split.stderrTail()).toEqual(['a😀b', '€\uFFFD']);
    expect(lines).toEqual(['a😀b', '€\uFFFD']);
  });
});

function file(name: string, content: string, mode = 0o644): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  chmodSync(path, mode);
  return path;
}
