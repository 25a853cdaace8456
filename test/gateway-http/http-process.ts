import { createServer } from 'node:net';
import { vi } from 'vitest';
import { CliProcess } from '../gateway/cli-process.ts';
import type { TestServer } from '../gateway/harness.ts';
import type { TestHome } from '../gateway/run-cli.ts';
import { switchboard } from '../interop/programs.ts';
import type { ProcessTracker } from '../processes.ts';

/** `switchboard gateway --http` on a fixed port, which can be killed and started again. */
export interface HttpProcess {
  readonly port: number;
  readonly url: string;
  /** The process that was started last. */
  readonly gateway: CliProcess;
  /** Starts the gateway, and resolves when it listens. */
  start(): Promise<CliProcess>;
  /** Kills it without a warning. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Restarts it without losing requests. Resolves with the process that serves now. */
  restart(): Promise<number>;
  /** Resolves when it has ended after a signal. */
  stop(): Promise<number | null>;
}

interface HttpProcessOptions {
  readonly home: TestHome;
  readonly processes: ProcessTracker;
  readonly servers: Readonly<Record<string, TestServer>>;
  readonly args?: readonly string[];
  /** The servers are in the config of the user, `config.json`, instead of a file named by `--config`. */
  readonly isUserConfig?: boolean;
  /** Default: one that is free now. */
  readonly port?: number;
}

const WITHIN = { timeout: 60_000, interval: 20 };

export async function openHttpProcess(options: HttpProcessOptions): Promise<HttpProcess> {
  const { home, processes, servers, args = ['--auth', 'none'] } = options;
  const { isUserConfig = false } = options;
  const config = home.write('config.json', isUserConfig ? toUserConfig(servers) : { mcpServers: servers });
  const port = options.port ?? (await findFreePort());
  const command = switchboard(
    'gateway',
    '--http',
    String(port),
    ...(isUserConfig ? [] : ['--config', config]),
    ...args,
  );
  const env = home.env(isUserConfig ? { SWITCHBOARD_CONFIG_PATH: config } : {});
  const spawn = () => new CliProcess(command, processes, env, home.folder);
  const contains = (text: string) => vi.waitFor(() => match(gateway.stderr, text), WITHIN);
  let gateway = spawn();
  await contains('Listening on');
  return {
    port,
    url: `http://127.0.0.1:${port}/mcp`,
    get gateway() {
      return gateway;
    },
    async start() {
      gateway = spawn();
      await contains('Listening on');
      return gateway;
    },
    async kill() {
      process.kill(gateway.pid, 'SIGKILL');
      await gateway.exited;
    },
    async restart() {
      const before = restartsOf(gateway).length;
      process.kill(gateway.pid, 'SIGUSR2');
      return vi.waitFor(() => {
        const pid = restartsOf(gateway)[before];
        if (pid === undefined) throw new Error(gateway.stderr);
        return pid;
      }, WITHIN);
    },
    async stop() {
      process.kill(gateway.pid, 'SIGTERM');
      return (await gateway.exited).code;
    },
  };
}

function toUserConfig(servers: HttpProcessOptions['servers']) {
  const entries = Object.entries(servers).map(([id, { command, args }]) => [id, { transport: 'stdio', command, args }]);
  return { version: 1, mcp: { servers: Object.fromEntries(entries) } };
}

/** The processes that have served after each restart. */
function restartsOf({ stderr }: CliProcess): number[] {
  return [...stderr.matchAll(/Restarted\. Process (\d+) serves/g)].map(([, pid]) => Number(pid));
}

function match(text: string, wanted: string): void {
  if (!text.includes(wanted)) throw new Error(text);
}

async function findFreePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}
