import { randomInt } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { isObject, type JsonObject } from '../codex/json.ts';
import { script } from '../codex/script.ts';
import type { Step } from '../codex/steps.ts';
import { type CodexClient, eventually, FREE, type ServeOptions } from './testbed.ts';

/** The state of a session when it is stopped. */
export interface Phase {
  readonly name: string;
  readonly args: (token: string) => JsonObject;
  /** Options of the client. By default it has no capabilities. */
  readonly serve?: Pick<ServeOptions, 'capabilities' | 'onRequest'>;
  /** Resolves when the session has reached this phase. */
  readonly reached: (client: CodexClient, token: string) => Promise<unknown>;
}

/** A token in the command line of every process of one test. Finds processes that have lost every mark. */
export function createToken(): string {
  return String(randomInt(100_000_000, 1_000_000_000));
}

/** Returns the command lines that contain the token. A zombie has no command line. */
export function commandsWith(token: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.map(commandLine).filter((command) => command.includes(token));
}

const LONG = 300;

export const multiProcessCommand: Phase = {
  name: 'in a command whose processes leave it',
  args: (token) => ({ ...startArguments([{ shell: multiProcessShellCommand(token) }]), sandbox: 'danger-full-access' }),
  reached: runs(3),
};

export const phases: readonly Phase[] = [
  {
    name: 'streaming',
    args: () => startArguments([{ deltas: Array(500).fill('word '), paceMs: 50 }]),
    reached: hasMessage,
  },
  {
    name: 'in a long command',
    args: (token) => startArguments([{ shell: `sleep ${LONG}.${token}` }]),
    reached: runs(1),
  },
  multiProcessCommand,
  {
    name: 'awaiting an approval',
    args: (token) => ({ ...startArguments([{ shell: `touch ${token}` }]), approvalPolicy: 'untrusted' }),
    // The user sees the prompt but never answers, so the turn keeps waiting.
    serve: { capabilities: { elicitation: {} }, onRequest: () => new Promise(() => {}) },
    reached: awaitsApproval,
  },
];

/** Returns the server's only session, even if the response to `codex_start` never arrived. */
export async function onlySession(client: CodexClient): Promise<JsonObject> {
  const { contents } = await client.request('resources/read', { uri: 'codex://sessions' });
  const [first] = Array.isArray(contents) ? contents : [];
  const { sessions } = JSON.parse(isObject(first) ? String(first['text']) : '{}');
  if (!Array.isArray(sessions) || sessions.length !== 1)
    throw new Error(`expected one session: ${JSON.stringify(sessions)}`);
  return sessions[0];
}

export function startArguments(steps: readonly Step[]): JsonObject {
  return { ...FREE, prompt: script(steps) };
}

/** Starts three processes: one in the background, one in another process group, one in the foreground. */
export function multiProcessShellCommand(token: string): string {
  return `sleep ${LONG}.${token} & setsid sleep ${LONG + 1}.${token} & sleep ${LONG + 2}.${token}`;
}

function runs(sleepCommands: number): Phase['reached'] {
  return (_client, token) =>
    eventually(() => commandsWith(token).filter((command) => command.startsWith('sleep ')).length >= sleepCommands);
}

async function hasMessage(client: CodexClient): Promise<unknown> {
  return eventually(async () => {
    const { sessionId } = await onlySession(client).catch(() => ({ sessionId: undefined }));
    if (sessionId === undefined) return undefined;
    const { itemEvents } = await client.call('codex_status', { sessionId });
    return JSON.stringify(itemEvents).includes('"agent_message"');
  });
}

async function awaitsApproval(client: CodexClient): Promise<unknown> {
  return eventually(async () => {
    const { status } = await onlySession(client).catch(() => ({ status: undefined }));
    return status === 'awaiting_approval';
  });
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ');
  } catch {
    // The process has exited.
    return '';
  }
}
