// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { baseline } from './gateway-baseline.mjs';
import { finish } from './process.mjs';

/** The baseline's HTTP server. */
const SERVER = join(dirname(baseline?.relay ?? ''), 'echo-http.mjs');

/** Why this cannot be measured here, or undefined if it can. */
export const missing =
  baseline === undefined || !existsSync(SERVER)
    ? 'the baseline is missing: put it next to the repository, or set SWITCHBOARD_BENCH_BASELINE to its folder'
    : undefined;

/** @returns {Promise<{ url: string, close: () => Promise<void> }>} */
export async function startHttpServer() {
  const port = await freePort();
  const started = spawn(process.execPath, [SERVER, '--port', String(port)], { stdio: ['pipe', 'ignore', 'pipe'] });
  // The server prints a line when it is listening.
  await once(started.stderr, 'data');
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      started.kill();
      return finish(started);
    },
  };
}

/** Returns a port of the loopback interface that no program listens on. */
export async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}
