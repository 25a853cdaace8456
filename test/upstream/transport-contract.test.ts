import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, vi } from 'vitest';
import { createTransports, type Transports } from '../../src/upstream/transports/open.ts';
import { type ReachedServer, testTransport } from '../contracts/transport.ts';
import { trackProcesses } from '../processes.ts';

vi.setConfig({ testTimeout: 15_000 });

const SERVER = fileURLToPath(new URL('../contracts/transport-server.mjs', import.meta.url));
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

testTransport('stdio', { open: async () => overStdio() });
testTransport('Streamable HTTP, answers as JSON', { open: () => overHttp('json') });
testTransport('Streamable HTTP, answers as events', { open: () => overHttp('events') });
testTransport('Streamable HTTP without sessions', { open: () => overHttp('stateless') });
testTransport('HTTP of the modern era', { open: () => overHttp('modern') });
testTransport('HTTP with two addresses', { open: () => overHttp('two-addresses') });

function openTransports(): { readonly transports: Transports; readonly env: Record<string, string> } {
  const env = processes.env();
  const home = env['HOME'] ?? '/';
  const transports = createTransports(env, { surroundings: { env, home, cwd: home, platform: process.platform } });
  opened.push(transports);
  return { transports, env };
}

function overStdio(): ReachedServer {
  const { transports, env } = openTransports();
  return {
    open: transports.stdio(() => ({
      command: process.execPath,
      args: [SERVER, '--over', 'stdio'],
      cwd: undefined,
      env,
      framing: 'ndjson',
    })),
    left: async () => processes.alive().map(({ command }) => command),
  };
}

async function overHttp(over: string): Promise<ReachedServer> {
  const { transports, env } = openTransports();
  const server = spawn(process.execPath, [SERVER, '--over', over], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  started.push(server);
  const [line] = await once(createInterface({ input: server.stdout }), 'line', { signal: AbortSignal.timeout(10_000) });
  const url = String(line).replace(/^listening /, '');
  const door = new URL(url).searchParams.get('door') ?? '';
  return {
    open: transports.http(() => ({
      serverId: 'one',
      url,
      headers: {},
      isSse: false,
      oauth: undefined,
      hasOwnAuthorization: false,
    })),
    async left() {
      const open = (await (await fetch(new URL('/_sockets', door))).json()) as number;
      return open === 0 ? [] : [`${open} sockets`];
    },
  };
}
