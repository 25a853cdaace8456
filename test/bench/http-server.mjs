// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { createServer } from 'node:net';
import { dirname, join } from 'node:path';
import { baseline } from './gateway-baseline.mjs';
import { finish } from './process.mjs';

/** The server of the floor that is reached by an address. */
const SERVER = join(dirname(baseline?.relay ?? ''), 'echo-http.mjs');

/** Why nothing can be measured here; undefined: it can. */
export const missing =
  baseline === undefined || !existsSync(SERVER)
    ? 'the floor is not here: put it beside the repository or name it in SWITCHBOARD_FLOOR'
    : undefined;

/** @returns {Promise<{ url: string, close: () => Promise<void> }>} */
export async function startHttpServer() {
  const port = await freePort();
  const started = spawn(process.execPath, [SERVER, '--port', String(port)], { stdio: ['pipe', 'ignore', 'pipe'] });
  // It says that it listens.
  await once(started.stderr, 'data');
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    close() {
      started.kill();
      return finish(started);
    },
  };
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  await new Promise((resolve) => server.close(resolve));
  return port;
}
