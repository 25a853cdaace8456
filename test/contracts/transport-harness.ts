import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach } from 'vitest';
import { createTransports, type Transports } from '../../src/upstream/transports/transports.ts';
import { trackProcesses } from '../processes.ts';
import type { ReachedServer } from './transport.ts';

const SERVER = fileURLToPath(new URL('transport-server.mjs', import.meta.url));

/** The protocols that `transport-server.mjs` supports. */
type HttpCarrier = 'json' | 'events' | 'stateless' | 'modern' | 'legacy-sse';

export interface TransportHarness {
  overStdio(era?: 'stdio' | 'stdio-modern'): Promise<ReachedServer>;
  overHttp(carrier: HttpCarrier): Promise<ReachedServer>;
}

/** Servers for the contract tests, each in its own process, which ends with the test. */
export function transportHarness(): TransportHarness {
  const processes = trackProcesses();
  const opened: Transports[] = [];
  const started: ChildProcess[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((transports) => transports.close()));
    for (const server of started.splice(0)) {
      server.kill('SIGTERM');
      if (server.exitCode === null && server.signalCode === null) await once(server, 'exit');
    }
  });

  const openTransports = () => {
    const env = processes.env();
    const home = env['HOME'] ?? '/';
    const transports = createTransports(env, { environment: { env, home, cwd: home, platform: process.platform } });
    opened.push(transports);
    return { transports, env };
  };

  return {
    async overStdio(era = 'stdio') {
      const { transports, env } = openTransports();
      const args = [SERVER, '--over', era];
      return {
        open: transports.stdio(() => ({ command: process.execPath, args, cwd: undefined, env, framing: 'ndjson' })),
        left: async () => processes.alive().map(({ command }) => command),
      };
    },
    async overHttp(carrier) {
      const { transports, env } = openTransports();
      const server = spawn(process.execPath, [SERVER, '--over', carrier], {
        env,
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      started.push(server);
      const lines = createInterface({ input: server.stdout });
      const [line] = await once(lines, 'line', { signal: AbortSignal.timeout(30_000) });
      const url = String(line).replace(/^listening /, '');
      const door = new URL(url).searchParams.get('door') ?? '';
      const entry = { serverId: 'one', headers: {}, isSse: false, oauth: undefined, hasOwnAuthorization: false };
      return {
        open: transports.http(() => ({ ...entry, url })),
        async left() {
          const open = (await (await fetch(new URL('/_sockets', door))).json()) as number;
          return open === 0 ? [] : [`${open} sockets`];
        },
      };
    },
  };
}
