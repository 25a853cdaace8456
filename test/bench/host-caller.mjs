// @ts-check
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { cpuMs, finish } from './process.mjs';

/** @typedef {import('./host-load.mjs').Order} Order */
/** @typedef {{ command: string, args: readonly string[] } | { url: string }} Entry */

/**
 * Starts a process, in its own home, that calls the entry's server on demand.
 * @param {string} program in servers/ @param {Entry} entry
 */
export async function startCaller(program, entry) {
  const folder = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const file = fileURLToPath(new URL(`servers/${program}.mjs`, import.meta.url));
  const { NODE_EXTRA_CA_CERTS: _, NODE_OPTIONS: __, DEBUG: ___, ...inherited } = process.env;
  const env = { ...inherited, HOME: folder, SWITCHBOARD_HOME: folder };
  // The official client makes Node print a warning at nearly every call. That cost is not measured.
  const args = ['--no-warnings', file, JSON.stringify(entry)];
  const started = spawn(process.execPath, args, { env, stdio: ['pipe', 'pipe', 'inherit'] });
  const lines = createInterface({ input: started.stdout })[Symbol.asyncIterator]();
  const receive = async (/** @type {string} */ word) => {
    const { value } = await lines.next();
    if (value !== word) throw new Error(`${program} ended, or said ${JSON.stringify(value)} instead of ${word}`);
  };
  await receive('ready');
  return {
    /** @param {Order} order */
    async call(order) {
      started.stdin.write(`${JSON.stringify(order)}\n`);
      await receive('done');
    },
    /** CPU milliseconds of the caller and its descendants, without the server. */
    cpuMs: () => callersOf(started.pid ?? 0, entry).reduce((total, pid) => total + cpuMs(pid), 0),
    async close() {
      await finish(started);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** @param {number} pid @param {Entry} entry @returns {number[]} */
function callersOf(pid, entry) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((task) => words(`/proc/${pid}/task/${task}/children`, ' '));
  const own = children.map(Number).filter((child) => child > 0 && !isServer(child, entry));
  return [pid, ...own.flatMap((child) => callersOf(child, entry))];
}

/** @param {number} pid @param {Entry} entry */
function isServer(pid, entry) {
  return 'args' in entry && entry.args.every((arg) => words(`/proc/${pid}/cmdline`, '\0').includes(arg));
}

/** @param {string} file @param {string} separator */
function words(file, separator) {
  return readFileSync(file, 'utf8').split(separator);
}
