// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startGateway, upstream } from './gateway-process.mjs';
import { processTree, readProcess } from './process.mjs';

/** @typedef {import('./gateway-process.mjs').Program} Program */

const MANY = 150;
/** The maximum wait per round, far above the goal. */
const LIMIT_MS = 60_000;

/** Milliseconds from stopping a gateway until it and its stubborn servers have exited.
 * @param {'end of input' | 'SIGTERM' | 'SIGKILL'} how */
export async function stubbornGoneMs(how) {
  const stubborn = [fixture('stubborn-grandchild'), fixture('ignores-term'), upstream()];
  return { ours: await goneMs(Object.fromEntries(stubborn.map((server, at) => [`s${at}`, server])), how), theirs: 0 };
}

/** The same for many ordinary servers, after the client disconnects. */
export async function manyGoneMs() {
  const servers = Object.fromEntries(Array.from({ length: MANY }, (_, at) => [`s${at}`, upstream()]));
  return { ours: await goneMs(servers, 'end of input'), theirs: 0 };
}

/** @param {string} name @returns {Program} */
function fixture(name) {
  return { command: process.execPath, args: [fileURLToPath(new URL(`../fixtures/${name}.mjs`, import.meta.url))] };
}

/** @param {Readonly<Record<string, Program>>} servers @param {string} how */
async function goneMs(servers, how) {
  const gateway = startGateway(servers, { WRAPPER_TOOLS_LIST_TIMEOUT_MS: String(LIMIT_MS) });
  await gateway.client.initialize();
  await untilAllReady(gateway.client);
  const pids = processTree(gateway.pid);
  if (pids.length <= Object.keys(servers).length) throw new Error(`only ${pids.length} processes run`);
  const begin = performance.now();
  if (how !== 'end of input') gateway.kill(/** @type {NodeJS.Signals} */ (how));
  const closed = gateway.close();
  while (pids.some(isRunning)) {
    if (performance.now() - begin > LIMIT_MS)
      throw new Error(`the gateway or its servers are still running after ${LIMIT_MS} ms`);
    await delay(10);
  }
  const ms = performance.now() - begin;
  await closed;
  return ms;
}

/** @param {ReturnType<typeof startGateway>['client']} client */
async function untilAllReady(client) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await delay(100)) {
    const { result } = await client.request('resources/read', { uri: 'switchboard://status' });
    const states = JSON.parse(result.contents[0].text).servers;
    if (states.every((/** @type {{ state: string }} */ { state }) => state === 'ready')) return;
  }
  throw new Error('the servers were not ready within a minute');
}

/** A zombie process is still listed, but has ended. @param {number} pid */
function isRunning(pid) {
  const stat = readProcess(pid, 'stat');
  return stat !== '' && stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
}
