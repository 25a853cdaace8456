import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { text } from 'node:stream/consumers';
import { afterEach } from 'vitest';
import { type ControlSocket, openControlSocket } from '../../src/control/socket/control-socket.ts';
import type { RunningStatus, ServerDetail, ServerSummary } from '../../src/control/status/running-status.ts';
import { initialized, initializeRequest } from '../gateway/run-cli.ts';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import type { Testbed } from './testbed.ts';

type Answer = (method: string, params: unknown) => unknown;

/** Processes that run in a testbed besides the command under test. All are stopped after each test. */
export interface RunningProcesses {
  /** A real control socket in this process, with scripted responses. */
  socket(testbed: Testbed, answer: Answer): Promise<ControlSocket>;
  /** The real gateway, with an initialized client. */
  gateway(testbed: Testbed, ...args: readonly string[]): Promise<RunningGateway>;
  /** Runs `mcp status --watch --json` until the expected status appears. */
  until(testbed: Testbed, isIt: (status: readonly RunningStatus[]) => boolean): Promise<readonly RunningStatus[]>;
  /** Starts `switchboard mcp <args>` with pipes. */
  start(testbed: Testbed, ...args: readonly string[]): Started;
}

interface RunningGateway {
  readonly pid: number;
  send(message: unknown): void;
  stop(): Promise<void>;
}

type Started = ReturnType<typeof startMcp>;

export function useRunning(processes: ProcessTracker): RunningProcesses {
  const closing: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    await Promise.all(closing.splice(0).map((close) => close()));
  });
  return {
    async socket(testbed, answer) {
      const testEnvironment = { ...environmentOf(testbed), platform: process.platform };
      const control = await openControlSocket({ environment: testEnvironment, answer, onProblem: refuse });
      if (control === undefined) throw new Error('The control socket could not be opened.');
      closing.push(() => control.close());
      return control;
    },
    async gateway(testbed, ...args) {
      const gateway = await startGateway(testbed, processes, args);
      closing.push(gateway.stop);
      return gateway;
    },
    async until(testbed, isIt) {
      const watching = startMcp(testbed, processes, ['status', '--watch', '--json']);
      try {
        for await (const line of createInterface({ input: watching.process.stdout })) {
          const { running } = JSON.parse(line);
          if (isIt(running)) return running;
        }
        throw new Error(`The command exited before the expected status appeared: ${await watching.stderr}`);
      } finally {
        watching.process.kill('SIGINT');
        await watching.exited;
      }
    },
    start: (testbed, ...args) => startMcp(testbed, processes, args),
  };
}

function refuse(problem: string): void {
  throw new Error(problem);
}

function environmentOf(testbed: Testbed) {
  return {
    cwd: testbed.path('project'),
    home: testbed.folder,
    env: { HOME: testbed.folder, SWITCHBOARD_HOME: testbed.path('own') },
  };
}

function startMcp(testbed: Testbed, processes: ProcessTracker, mcpArgs: readonly string[]) {
  const { command, args } = switchboard('mcp', ...mcpArgs);
  const { cwd, env } = environmentOf(testbed);
  const started = spawn(command, args, { cwd, env: processes.env(env), stdio: 'pipe', timeout: 120_000 });
  started.stdin.end();
  return { process: started, exited: once(started, 'exit'), stderr: text(started.stderr) };
}

async function startGateway(testbed: Testbed, processes: ProcessTracker, gatewayArgs: readonly string[]) {
  const { command, args } = switchboard('gateway', ...gatewayArgs);
  const { cwd, env } = environmentOf(testbed);
  const started = spawn(command, args, {
    cwd,
    env: processes.env(env),
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: 120_000,
  });
  const exited = once(started, 'exit');
  const send = (message: unknown) => void started.stdin.write(`${JSON.stringify(message)}\n`);
  started.stdin.on('error', () => {});
  send(initializeRequest());
  send(initialized);
  await once(started.stdout, 'data');
  started.stdout.resume();
  return {
    pid: started.pid ?? 0,
    send,
    async stop() {
      started.stdin.end();
      await exited;
    },
  };
}

/** A server in the status of a running gateway. */
export function summary(id: string, more: Partial<ServerSummary> = {}): ServerSummary {
  return {
    ...{ id, transport: 'stdio', source: 'global', enabled: true, state: 'ready', tools: 1, calls: 0, underWay: 0 },
    ...more,
  };
}

export function detail(id: string, more: Partial<ServerDetail> = {}): ServerDetail {
  return {
    ...summary(id),
    ...{ configured: '/config.json:3', settings: [], lastWords: [], restarts: 0, prompts: 0, resources: 0 },
    ...{ toolList: [], leftOut: [], remarks: [], ...more },
  };
}

export function runningStatus(more: Partial<RunningStatus> = {}): RunningStatus {
  return {
    ...{ v: 1, role: 'gateway', pid: process.pid, version: '0.0.0', startedAt: Date.now(), cwd: '/work' },
    ...{ clients: [], servers: [], problems: [], ...more },
  };
}

/** Responds with these servers. */
export function respondingWith(...servers: readonly ServerDetail[]): Answer {
  return (method, params) => {
    const { id } = Object(params);
    return method === 'mcp.list' ? runningStatus({ servers }) : servers.find((server) => server.id === id);
  };
}
