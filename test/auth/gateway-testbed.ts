import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterEach, expect, vi } from 'vitest';
import { findRunningInstances } from '../../src/control/socket/running-instances.ts';
import { CliProcess } from '../gateway/cli-process.ts';
import type { Message } from '../gateway/harness.ts';
import { longTimeoutEnv, switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import { ID, secretsIn, type Testbed, type TestbedOptions, useTestbeds } from './login-harness.ts';
import { projectOf, writeConfig } from './run-login-command.ts';

/** A protected server, its authorization server, and any number of command line processes of one user. */
interface GatewayTestbed extends Testbed {
  /** Opens an initialized gateway for the servers in the config. Each gateway writes a trace. */
  openGateway(): Promise<CliProcess>;
  /** Like `openGateway`, but waits until other processes can find the gateway. */
  openGatewayForCommands(): Promise<CliProcess>;
  /** The same, without `initialize`. */
  startGateway(): CliProcess;
  /** Runs another process of the same user. Its browser approves everything. */
  run(...args: readonly string[]): Promise<Ran>;
  /** `mcp login <id> --wait`, which must succeed. */
  login(id?: string, ...args: readonly string[]): Promise<void>;
  /** The number of times a browser was opened. */
  browsers(): number;
  /** Checks that no secret occurs in the output, files or command line of any process. */
  expectNoSecretSaid(): Promise<void>;
}

interface Ran {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

const BROWSER = join(import.meta.dirname, 'fixtures', 'login-browser.mjs');
const LOOK_MS = 50;

// Each test runs several gateways and commands, one after the other.
vi.setConfig({ testTimeout: 240_000 });

export function useGatewayTestbeds(processes: ProcessTracker) {
  const newTestbed = useTestbeds();
  const gateways: CliProcess[] = [];
  const lookers: NodeJS.Timeout[] = [];
  afterEach(async () => {
    for (const looker of lookers.splice(0)) clearInterval(looker);
    for (const gateway of gateways) gateway.endInput();
    await Promise.all(gateways.splice(0).map(({ exited }) => exited));
  });
  return async (
    options: TestbedOptions = {},
    servers: (url: string) => Record<string, unknown> = () => ({}),
  ): Promise<GatewayTestbed> => {
    const testbed = await newTestbed(options);
    writeConfig(testbed, servers(testbed.server.url));
    const output: string[] = [];
    const commands = new Set<string>();
    const secrets = new Set<string>();
    const opened: CliProcess[] = [];
    const file = (name: string) => join(testbed.folder, name);
    const own = {
      ...{ HOME: testbed.folder, SWITCHBOARD_HOME: testbed.folder, BROWSER, BROWSER_LOG: file('browser.log') },
      ...longTimeoutEnv,
      // Maximum verbosity, so that a leaked secret shows up.
      DEBUG: '1',
    };
    const look = () => {
      for (const { command } of processes.alive()) commands.add(command);
      for (const secret of storedSecrets(file('mcp-auth.json'))) secrets.add(secret);
    };
    lookers.push(setInterval(look, LOOK_MS));

    async function run(...args: readonly string[]): Promise<Ran> {
      const { command, args: all } = switchboard(...args);
      const started = spawn(command, all, {
        env: processes.env(own),
        cwd: projectOf(testbed),
        stdio: 'pipe',
        timeout: 55_000,
      });
      started.stdin.end();
      const exited = once(started, 'exit');
      const [stdout, stderr, [status]] = await Promise.all([text(started.stdout), text(started.stderr), exited]);
      output.push(stdout, stderr);
      look();
      return { status, stdout, stderr };
    }

    function startGateway(): CliProcess {
      const trace = file(`trace-${opened.length}`);
      const gateway = new CliProcess(switchboard('gateway', '--trace', trace), processes, own, projectOf(testbed));
      gateways.push(gateway);
      opened.push(gateway);
      return gateway;
    }

    async function openGateway(): Promise<CliProcess> {
      const gateway = startGateway();
      await gateway.initialize();
      return gateway;
    }

    return {
      ...testbed,
      startGateway,
      openGateway,
      async openGatewayForCommands() {
        const gateway = await openGateway();
        const place = { cwd: projectOf(testbed), home: testbed.folder, env: own, platform: process.platform };
        const pids = () => findRunningInstances(place).running.map(({ pid }) => pid);
        await expect.poll(pids, { timeout: 30_000 }).toContain(gateway.pid);
        return gateway;
      },
      run,
      async login(id = ID, ...args) {
        const { status, stdout, stderr } = await run('mcp', 'login', id, '--wait', ...args);
        expect({ status, stdout, stderr }).toMatchObject({
          status: 0,
          stdout: expect.stringContaining('Signed in to'),
        });
      },
      browsers: () => (existsSync(file('browser.log')) ? linesOf(file('browser.log')).length : 0),
      async expectNoSecretSaid() {
        look();
        const list = await run('mcp', 'list', '--json');
        expect(list.status).toBe(0);
        const statuses = await Promise.all(opened.map(readStatus));
        const traces = opened.map((_, index) => readFileSync(file(`trace-${index}`), 'utf8'));
        const outputs = opened.map(({ stderr, received }) => stderr + JSON.stringify(received));
        // Guards against a check without secrets, which would always pass.
        expect([secrets.size > 1, commands.size > 0, traces.every((trace) => trace.includes('whoami'))]).toEqual([
          true,
          true,
          true,
        ]);
        const places = { output, statuses, traces, outputs, commands: [...commands] };
        const leaks = Object.entries(places).flatMap(([place, texts]) =>
          [...secrets].filter((secret) => texts.some((one) => one.includes(secret))).map(() => place),
        );
        expect(leaks).toEqual([]);
      },
    };
  };
}

/** Returns the gateway's status of its servers. */
async function readStatus(gateway: CliProcess): Promise<string> {
  const { result } = await gateway.request('resources/read', { uri: 'switchboard://status' });
  return result.contents[0].text;
}

export async function stateOf(gateway: CliProcess, id = ID): Promise<string> {
  const { servers } = JSON.parse(await readStatus(gateway));
  return servers.find((server: { readonly id: string }) => server.id === id).state;
}

export function listChanges({ received }: CliProcess): number {
  return received.filter(({ method }) => method === 'notifications/tools/list_changed').length;
}

/** Returns the text of the tool's result, or of the error. */
export function textOf({ result, error }: Message): string {
  return error === undefined ? String(result.content[0].text) : `${error.code} ${error.message}`;
}

function storedSecrets(file: string): readonly string[] {
  try {
    const { servers } = JSON.parse(readFileSync(file, 'utf8'));
    return Object.values(servers as Record<string, Record<string, unknown>>).flatMap(secretsIn);
  } catch {
    // Nobody has signed in yet.
    return [];
  }
}

function linesOf(file: string): readonly string[] {
  return readFileSync(file, 'utf8').trimEnd().split('\n');
}
