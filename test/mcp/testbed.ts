import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import type { ProcessTracker } from '../processes.ts';

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

export const PROJECT = 'project/.switchboard/config.json';
export const GLOBAL = 'own/config.json';
export const CODEX = '.codex/.mcp.json';

/** A temporary home and project, and the built command line that runs in them. */
export interface Testbed {
  readonly folder: string;
  path(name: string): string;
  /** Writes a file, objects as JSON, and returns its path. */
  write(name: string, content: unknown): string;
  exists(name: string): boolean;
  read(name: string): string;
  json(name: string): unknown;
  /** Runs `switchboard <args>` in the project until it exits. */
  run(args: readonly string[], options?: RunOptions): Promise<Ran>;
  /** Runs `switchboard mcp <args>`. */
  mcp(...args: readonly string[]): Promise<Ran>;
  /** The same on a terminal. Types one text after each prompt. */
  onTerminal(args: readonly string[], typed: readonly string[]): Promise<{ readonly status: number; shown: string }>;
}

interface RunOptions {
  readonly stdin?: string;
  /** Keeps stdin open afterward. */
  readonly keepsStdin?: boolean;
  readonly env?: Readonly<Record<string, string>>;
  /** The project by default. */
  readonly cwd?: string;
  /** A program with arguments that starts ours, such as one that limits it. */
  readonly behind?: readonly string[];
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export function useTestbeds(processes: ProcessTracker): () => Testbed {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = realpathSync(mkdtempSync(join(tmpdir(), 'switchboard-mcp-')));
    folders.push(folder);
    mkdirSync(join(folder, 'project'));
    return createTestbed(folder, processes);
  };
}

function createTestbed(folder: string, processes: ProcessTracker): Testbed {
  const path = (name: string) => join(folder, name);
  const options = (env: Readonly<Record<string, string>> = {}) => ({
    cwd: path('project'),
    env: processes.env({ HOME: folder, SWITCHBOARD_HOME: path('own'), ...env }),
  });
  const run = async (
    args: readonly string[],
    { stdin = '', keepsStdin = false, env, cwd = path('project'), behind = [] }: RunOptions = {},
  ): Promise<Ran> => {
    const [command = '', ...rest] = [...behind, process.execPath, main, ...args];
    const started = spawn(command, rest, { ...options(env), cwd, stdio: 'pipe', timeout: 55_000 });
    started.stdin.on('error', () => {});
    started.stdin.write(stdin);
    if (!keepsStdin) started.stdin.end();
    const exited = once(started, 'exit');
    const [stdout, stderr, [status]] = await Promise.all([text(started.stdout), text(started.stderr), exited]);
    return { status, stdout, stderr };
  };
  return {
    folder,
    path,
    write(name, content) {
      mkdirSync(dirname(path(name)), { recursive: true });
      writeFileSync(path(name), typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`);
      return path(name);
    },
    exists: (name) => existsSync(path(name)),
    read: (name) => readFileSync(path(name), 'utf8'),
    json: (name) => JSON.parse(readFileSync(path(name), 'utf8')),
    run,
    mcp: (...args) => run(['mcp', ...args]),
    onTerminal: (args, typed) => onTerminal([process.execPath, main, 'mcp', ...args], typed, options()),
  };
}

/** `script` runs a program on a pseudo-terminal and copies its output to stdout. */
async function onTerminal(
  command: readonly string[],
  typed: readonly string[],
  options: { readonly cwd: string; readonly env: Record<string, string> },
): Promise<{ readonly status: number; shown: string }> {
  const line = command.map((word) => `'${word}'`).join(' ');
  const started = spawn('script', ['-qec', line, '/dev/null'], { ...options, stdio: 'pipe', timeout: 55_000 });
  let shown = '';
  let questions = 0;
  const rest = [...typed];
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    shown += chunk;
    // Type only after the prompt, because the terminal would echo earlier input.
    for (; questions < shown.split('(not shown): ').length - 1; questions++) started.stdin.write(rest.shift() ?? '');
  });
  const [status] = await once(started, 'close');
  return { status: Number(status), shown };
}

/** Returns the servers from `mcp list --json`. */
export async function listed(
  testbed: Testbed,
  ...args: readonly string[]
): Promise<readonly Record<string, unknown>[]> {
  return JSON.parse((await testbed.mcp('list', '--json', ...args)).stdout).servers;
}

export const ownConfig = (servers: Readonly<Record<string, unknown>>) => ({ version: 1, mcp: { servers } });

/** Returns the entries of a Switchboard config file, which may contain comments. */
export function serversIn(testbed: Testbed, name: string): Record<string, unknown> {
  const content = testbed.json(name) as { mcp: { servers: Record<string, unknown> } };
  return content.mcp.servers;
}
