// @ts-check
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connect } from './client.mjs';
import { baseline, tinyServer } from './gateway-baseline.mjs';
import { cpuMs, finish, processTree, readProcess, residentMib } from './process.mjs';

/** @typedef {{ command: string, args: readonly string[] }} Program */

/** The built program. */
export const MAIN = fileURLToPath(new URL('../../dist/cli/main.js', import.meta.url));
const UPSTREAM = fileURLToPath(new URL('servers/gateway-upstream.mjs', import.meta.url));
/** In the command line of every upstream, to distinguish it from our own processes. */
const MARK = '--bench-upstream';

/** Returns one of our servers with these options. @param {readonly string[]} options @returns {Program} */
export function upstream(...options) {
  return { command: process.execPath, args: [UPSTREAM, MARK, ...options] };
}

/** Returns the server for the baseline. @returns {Program} */
export function baselineUpstream() {
  return { command: process.execPath, args: [baseline?.echo ?? UPSTREAM, MARK] };
}

/** Returns many servers, as small as possible on this machine: `s1`, `s2`, … @param {number} count */
export function manyUpstreams(count) {
  const tiny = tinyServer();
  const program = tiny === undefined ? upstream() : { command: tiny, args: [MARK] };
  return Object.fromEntries(Array.from({ length: count }, (_, index) => [`s${index + 1}`, program]));
}

/** Starts the built gateway with these servers, in a new or an existing home.
 * @param {Readonly<Record<string, Program>>} servers @param {Readonly<Record<string, string>>} variables
 * @param {string} [home] */
export function startGateway(servers, variables = {}, home = undefined) {
  return start({ mcpServers: servers }, (config) => [MAIN, 'gateway', '--config', config], variables, home);
}

/** Starts the baseline relay with these servers. @param {Readonly<Record<string, Program>>} servers */
export function startBaseline(servers) {
  return start({ servers }, (config) => [baseline?.relay ?? '', config, '--splice'], {});
}

/** @param {object} config @param {(file: string) => readonly string[]} toArgs
 * @param {Readonly<Record<string, string>>} variables @param {string} [home] */
function start(config, toArgs, variables, home) {
  const folder = home ?? mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const file = join(folder, 'servers.json');
  // Rewriting the file would count as a change, even with the same content.
  if (!existsSync(file)) writeFileSync(file, JSON.stringify(config));
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, DEBUG: ___, ...inherited } = process.env;
  const env = { ...inherited, HOME: folder, SWITCHBOARD_HOME: folder, ...variables };
  const started = spawn(process.execPath, toArgs(file), { env, cwd: folder, stdio: ['pipe', 'pipe', 'ignore'] });
  const pid = started.pid ?? 0;
  return {
    pid,
    client: connect(started),
    ...measured(pid),
    kill: (/** @type {NodeJS.Signals} */ signal) => started.kill(signal),
    /** Initializes the connection and waits until this many tools are listed. @param {number} tools */
    async ready(tools) {
      await this.client.initialize();
      for (;;) {
        const { result } = await this.client.request('tools/list', {});
        if (result.tools.length >= tools) return;
      }
    },
    async close() {
      await finish(started);
      if (home === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Measures a program and its descendants, without the servers. @param {number} root */
export function measured(root) {
  const pids = () => processTree(root, (pid) => !isUpstream(pid));
  return {
    pids,
    /** CPU milliseconds. */
    cpuMs: () => sum(pids().map(cpuMs)),
    /** Resident MiB. */
    residentMib: () => sum(pids().map(residentMib)),
  };
}

/** @param {number} pid */
function isUpstream(pid) {
  return readProcess(pid, 'cmdline').split('\0').includes(MARK);
}

/** @param {readonly number[]} values */
function sum(values) {
  return values.reduce((total, value) => total + value, 0);
}
