// @ts-check
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { baseline } from './gateway-baseline.mjs';
import { baselineUpstream, MAIN, measured } from './gateway-process.mjs';
import { freePort } from './http-server.mjs';

/**
 * A program that serves one stdio server over HTTP.
 * @typedef {object} Front
 * @property {string} url
 * @property {string} headers for each request
 * @property {string} tool the name of the server's tool `echo`
 * @property {() => number} cpuMs of all its processes, without the server
 * @property {() => number} residentMib
 * @property {() => Promise<void>} close
 */

/** The baseline's relay, which parses and checks as little as possible. */
const RELAY = join(dirname(baseline?.relay ?? ''), 'relay-http.mjs');

/** Why the fronts cannot be measured here, or undefined if they can. Their upstream is the baseline's server. */
export const relayMissing =
  baseline === undefined || !existsSync(RELAY)
    ? 'the baseline is missing: put it next to the repository, or set SWITCHBOARD_BENCH_BASELINE to its folder'
    : undefined;

/** Starts the built gateway, which requires a token with each request. @returns {Promise<Front>} */
export function startGatewayFront() {
  return startFront({
    config: (server) => ({ mcpServers: { s1: server } }),
    args: ({ port, config }) => [MAIN, 'gateway', '--config', config, '--http', `127.0.0.1:${port}`],
    tool: 's1__echo',
    headers: (home) => `\r\nAuthorization: Bearer ${readFileSync(join(home, 'http-token'), 'utf8').trim()}`,
  });
}

/** Starts the baseline's relay. @returns {Promise<Front>} */
export function startRelayFront() {
  return startFront({
    config: (server) => ({ servers: { s1: server } }),
    args: ({ port, config }) => [RELAY, config, '--splice', '--http', String(port)],
    tool: 's1__echo',
  });
}

/**
 * @typedef {object} FrontOptions
 * @property {(server: import('./gateway-process.mjs').Program) => object} config
 * @property {(options: { port: number, config: string }) => readonly string[]} args for Node
 * @property {string} tool
 * @property {string} [path] of its endpoint
 * @property {(home: string) => string} [headers]
 */

/** @param {FrontOptions} options @returns {Promise<Front>} */
export async function startFront({ config, args, tool, path = '/mcp', headers = () => '' }) {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const file = join(home, 'servers.json');
  writeFileSync(file, JSON.stringify(config(baselineUpstream())));
  const port = await freePort();
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, DEBUG: ___, ...inherited } = process.env;
  const env = { ...inherited, HOME: home, SWITCHBOARD_HOME: home };
  const started = spawn(process.execPath, args({ port, config: file }), { env, cwd: home, stdio: 'ignore' });
  await untilListening(port, started);
  return {
    url: `http://127.0.0.1:${port}${path}`,
    headers: headers(home),
    tool,
    ...measured(started.pid ?? 0),
    async close() {
      started.kill();
      const timer = setTimeout(() => started.kill('SIGKILL'), 10_000);
      if (started.exitCode === null && started.signalCode === null) await once(started, 'exit');
      clearTimeout(timer);
      rmSync(home, { recursive: true, force: true });
    },
  };
}

/** @param {number} port @param {import('node:child_process').ChildProcess} started */
async function untilListening(port, started) {
  while (!(await isListening(port))) {
    if (started.exitCode !== null) throw new Error(`${started.spawnargs.join(' ')} exited with ${started.exitCode}`);
    await delay(POLL_MS);
  }
}

const POLL_MS = 20;

/** @param {number} port @returns {Promise<boolean>} */
function isListening(port) {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.on('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.on('error', () => resolve(false));
  });
}
