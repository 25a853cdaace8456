import { fileURLToPath } from 'node:url';
import { createProcessTracker, type ProcessTracker } from '../processes.ts';
import { commandsWith, createToken, type Phase, startArguments } from './stop-phases.ts';
import {
  type CodexClient,
  type CodexRelease,
  eventually,
  openTestbed,
  type ServeOptions,
  type Testbed,
} from './testbed.ts';

/** A session in one phase, and the processes that could outlive it. */
export interface StoppableSession {
  readonly token: string;
  readonly processes: ProcessTracker;
  readonly testbed: Testbed;
  readonly client: CodexClient;
  /** The call of `codex_start`, which waits for the turn to end. */
  readonly call: ReturnType<CodexClient['begin']>;
  /** The Codex process. */
  enginePid(): number;
  [Symbol.asyncDispose](): Promise<void>;
}

const fixture = (name: string) => fileURLToPath(new URL(`../fixtures/${name}`, import.meta.url));

/** Codex waits for its MCP servers before it opens a session, so a slow server keeps it in this phase. */
export const starting: Phase = {
  name: 'being started',
  args: () => startArguments([{ message: 'said too late' }]),
  reached: (_client, token) => eventually(() => commandsWith(token).some((command) => command.includes('slow-start'))),
};

interface StoppableSessionOptions extends ServeOptions {
  /** How long a session takes to start in the phase `starting`. */
  readonly slowMs?: number;
  readonly release?: CodexRelease;
}

export async function openStoppableSession(
  phase: Phase,
  options: StoppableSessionOptions = {},
): Promise<StoppableSession> {
  const { slowMs = 20_000, release = 'current', ...serve } = options;
  const token = createToken();
  const processes = createProcessTracker();
  // This server ignores EOF and SIGTERM, and Codex hides most of its environment from it.
  const stubborn = { command: process.execPath, args: [fixture('ignores-term.mjs'), token] };
  const slow = { command: process.execPath, args: [fixture('slow-start.mjs'), String(slowMs), token] };
  const mcpServers = phase === starting ? { stubborn, slow } : { stubborn };
  const testbed = await openTestbed(processes, { release, mcpServers });
  const client = await testbed.serve({ args: ['--allow-dangerous'], ...phase.serve, ...serve });
  const args = { waitSeconds: 50, ...phase.args(token) };
  const call = client.begin('tools/call', { name: 'codex_start', arguments: args });
  try {
    await phase.reached(client, token);
    await eventually(() => commandsWith(token).some((command) => command.includes('ignores-term')));
  } catch (error) {
    await testbed[Symbol.asyncDispose]();
    throw error;
  }
  return {
    token,
    processes,
    testbed,
    client,
    call,
    enginePid() {
      const [engine, ...others] = processes.alive().filter(({ command }) => / app-server $/.test(command));
      if (engine === undefined || others.length > 0) throw new Error(`expected one engine, found ${1 + others.length}`);
      return engine.pid;
    },
    async [Symbol.asyncDispose]() {
      await testbed[Symbol.asyncDispose]();
      await processes.assertAllGone({ withinMs: 20_000 });
    },
  };
}
