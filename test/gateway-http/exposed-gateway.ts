import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, vi } from 'vitest';
import { CliProcess } from '../gateway/cli-process.ts';
import { run } from '../gateway/run-cli.ts';
import { longTimeoutEnv, switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';
import { RawClient } from './raw-client.ts';

export const WITHIN = { timeout: 40_000, interval: 50 };

interface Config {
  readonly servers: Readonly<Record<string, unknown>>;
  readonly views?: Readonly<Record<string, unknown>>;
}

/** A gateway that others can connect to, as a process. */
export interface ExposedGateway {
  readonly process: CliProcess;
  /** The endpoint, under the loopback address. */
  readonly url: string;
  readonly port: number;
  /** The token of this user. */
  readonly token: string;
  /** Opens a client. A legacy one is initialized. */
  client(era: 'legacy' | 'modern', path?: string, token?: string): Promise<RawClient>;
  /** Waits until stderr contains the text. */
  says(text: string): Promise<void>;
}

export interface ExposedHome {
  readonly folder: string;
  /** Replaces the config. */
  configure(config: Config): void;
  /** Runs a command of this user, which must succeed, and returns its stdout. */
  run(...args: readonly string[]): Promise<string>;
  /** Starts a gateway on every address of this machine. Tests connect only to the loopback address. */
  start(...args: readonly string[]): Promise<ExposedGateway>;
}

/** Uses the folder as the home of a user. All gateways end with their test. */
export function exposedHomes(processes: ProcessTracker): (folder: string) => ExposedHome {
  const started: CliProcess[] = [];
  // Hooks run in reverse order, so this one runs before the check for leftover processes.
  afterEach(async () => {
    for (const { pid } of started) process.kill(pid, 'SIGTERM');
    await Promise.all(started.splice(0).map(({ exited }) => exited));
  });
  return (folder) => {
    const own = { HOME: folder, SWITCHBOARD_HOME: folder, ...longTimeoutEnv };
    return {
      folder,
      configure({ servers, views = {} }) {
        const config = { version: 1, mcp: { servers }, views };
        writeFileSync(join(folder, 'config.json'), JSON.stringify(config, undefined, 2));
      },
      async run(...args) {
        const { status, stdout, stderr } = await run(args, { env: processes.env(own), cwd: folder });
        if (status !== 0) throw new Error(`${args.join(' ')} exited with ${status}: ${stderr}`);
        return stdout.trim();
      },
      async start(...args) {
        const address = args.includes('--http') ? [] : ['--http', '0.0.0.0:0'];
        const gateway = new CliProcess(switchboard('gateway', ...address, ...args), processes, own, folder);
        started.push(gateway);
        void gateway.exited.then(() => started.splice(started.indexOf(gateway), 1));
        return listening(gateway, folder);
      },
    };
  };
}

async function listening(gateway: CliProcess, folder: string): Promise<ExposedGateway> {
  const says = (text: string) =>
    vi.waitFor(() => {
      if (!gateway.stderr.includes(text)) throw new Error(`Expected "${text}" in:\n${gateway.stderr}`);
    }, WITHIN);
  await says('Listening on');
  const [, scheme = '', port = ''] = /Listening on (https?):\/\/\S+:(\d+)\/mcp\./.exec(gateway.stderr) ?? [];
  const token = readFileSync(join(folder, 'http-token'), 'utf8').trim();
  const url = `${scheme}://127.0.0.1:${port}/mcp`;
  return {
    process: gateway,
    port: Number(port),
    url,
    token,
    says,
    async client(era, path = '', its = token) {
      const client = new RawClient(`${url}${path}`, era);
      client.headers = { authorization: `Bearer ${its}` };
      if (era === 'legacy') await client.initialize();
      return client;
    },
  };
}
