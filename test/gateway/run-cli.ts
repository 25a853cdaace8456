import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import { longTimeoutEnv } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Message } from './harness.ts';

const main = join(import.meta.dirname, '..', '..', 'dist', 'cli', 'main.js');

const { WRAPPER_NO_SUMMARY: _, ...patience } = longTimeoutEnv;

/** Creates a home folder for each test, so that no test touches the user's files. */
export interface TestHome {
  readonly folder: string;
  /** Writes a file, objects as JSON. Returns its path. */
  write(path: string, content: unknown): string;
  env(extra?: Readonly<Record<string, string>>): Record<string, string>;
}

export function testHomes(processes: ProcessTracker): () => TestHome {
  const folders: string[] = [];
  afterEach(() => {
    for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
  });
  return () => {
    const folder = mkdtempSync(join(tmpdir(), 'switchboard-test-'));
    folders.push(folder);
    mkdirSync(join(folder, 'work'));
    return {
      folder,
      write(path, content) {
        const file = join(folder, path);
        mkdirSync(dirname(file), { recursive: true });
        writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content, undefined, 2));
        return file;
      },
      env(extra = {}) {
        const own = processes.env(extra);
        for (const name of Object.keys(own))
          if (/^(WRAPPER_|MCP_WRAPPER|CODEX_|DEBUG$|XDG_)/.test(name) && !(name in extra)) delete own[name];
        return { ...own, ...patience, HOME: folder, SWITCHBOARD_HOME: join(folder, 'own'), ...extra };
      },
    };
  };
}

export interface Run {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
  /** The messages on stdout, if every line is a message. */
  readonly messages: Message[];
}

export interface RunOptions {
  readonly env: Record<string, string>;
  readonly cwd: string;
  /** Lines for stdin, which closes when every request among them has a response. */
  readonly say?: readonly unknown[];
  /** Ids of requests that are not separate lines in `say`. */
  readonly awaits?: readonly string[];
}

/** Runs the built command line until it exits. */
export async function run(args: readonly string[], { env, cwd, say = [], awaits = [] }: RunOptions): Promise<Run> {
  const started = spawn(process.execPath, [main, ...args], {
    env,
    cwd,
    stdio: ['pipe', 'pipe', 'pipe'],
    timeout: 60_000,
  });
  started.stdin.on('error', () => {});
  started.stdin.write(say.map((line) => `${typeof line === 'string' ? line : JSON.stringify(line)}\n`).join(''));
  const ids = [...awaits, ...say.flatMap(idOf)];
  let stdout = '';
  const leaveWhenAnswered = () => {
    if (ids.every((id) => stdout.includes(`"id":${JSON.stringify(id)}`))) started.stdin.end();
  };
  // After the client disconnects, starting servers get little time: too little on a busy machine.
  started.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
    leaveWhenAnswered();
  });
  leaveWhenAnswered();
  const [stderr, [status]] = await Promise.all([text(started.stderr), once(started, 'close')]);
  return { status, stdout, stderr, messages: messagesIn(stdout) };
}

function idOf(message: unknown): unknown[] {
  return typeof message === 'object' && message !== null && 'id' in message ? [message.id] : [];
}

function messagesIn(stdout: string): Message[] {
  const lines = stdout.split('\n').filter((line) => line !== '');
  try {
    return lines.map((line) => JSON.parse(line));
  } catch {
    // A table, or an answer for a person.
    return [];
  }
}

export const initializeRequest = (params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 'hello',
  method: 'initialize',
  params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' }, ...params },
});
export const initialized = { jsonrpc: '2.0', method: 'notifications/initialized' };
export const list = { jsonrpc: '2.0', id: 'list', method: 'tools/list' };
export const call = (name: string, args: Record<string, unknown> = {}, id = 'call') => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

export function answerTo(run: Run, id: string): Message {
  const found = run.messages.find((message) => message.id === id);
  if (found === undefined) throw new Error(`No answer to ${id} in:\n${run.stdout}\n${run.stderr}`);
  return found;
}

export function toolNames(run: Run): string[] {
  return answerTo(run, 'list').result.tools.map(({ name }: { name: string }) => name);
}
