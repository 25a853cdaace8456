import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { ProcessTracker } from '../processes.ts';
import { officialServer } from './programs.ts';

/** The official server-everything over HTTP on loopback. */
interface EverythingOverHttp extends AsyncDisposable {
  readonly url: string;
  /** Sends SIGKILL, so the server cannot end its sessions. */
  kill(): Promise<void>;
  /** Restarts it at the same address, without its earlier sessions. */
  start(): Promise<void>;
}

const START_MS = 60_000;

export async function openEverything(processes: ProcessTracker): Promise<EverythingOverHttp> {
  const port = await freePort();
  const { command, args } = officialServer('everything', 'streamableHttp');
  let running: ChildProcess | undefined;

  async function start(): Promise<void> {
    const env = processes.env({ PORT: String(port) });
    const started = spawn(command, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
    running = started;
    await listening(started, port);
  }

  async function kill(): Promise<void> {
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const exited = once(running, 'exit');
    running.kill('SIGKILL');
    await exited;
  }

  await start();
  return { url: `http://127.0.0.1:${port}/mcp`, kill, start, [Symbol.asyncDispose]: kill };
}

/** Waits for its message on stderr, and keeps reading, because a full pipe would block it. */
function listening(started: ChildProcess, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    const fail = (why: string) => reject(new Error(`server-everything ${why}:\n${output}`));
    const timer = setTimeout(fail, START_MS, `does not listen after ${START_MS} ms`);
    started.once('exit', () => fail('has ended'));
    started.stderr?.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      if (!output.includes(`listening on port ${port}`)) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('There is no free port.');
  return address.port;
}
