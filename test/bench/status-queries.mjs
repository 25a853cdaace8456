// @ts-check
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tinyServer } from './gateway-baseline.mjs';
import { manyUpstreams, startGateway } from './gateway-process.mjs';
import { alternate } from './rounds.mjs';

const UPSTREAMS = 200;
/** Tools per small server. */
const TOOLS = 5;
const IN_FLIGHT = 16;
const WARM_UP = 10_000;
const WARM_UP_QUESTIONS = 100;
const QUESTIONS = 20;
const PAUSE_MS = 50;
const TURNS = 16;
/** The calls of such a gateway in about 100 ms. Counted in calls, because a busy machine makes fewer in that time. */
const CALLS_PER_QUESTION = 1_000;

/** Why this cannot be measured here, or undefined if it can. */
export const missing =
  tinyServer() === undefined
    ? 'this many servers must be small, and the baseline or a C compiler is missing'
    : undefined;

/** Milliseconds until the status has been read under a constant load of calls: the slowest of many queries,
 * including the first. */
export function statusMs() {
  return withGateway(async ({ client, ask }) => {
    let slowest = 0;
    let isOver = false;
    const questions = async () => {
      for (let question = 0, reported = 0; question < QUESTIONS; question++) {
        const before = performance.now();
        const calls = await ask();
        slowest = Math.max(slowest, performance.now() - before);
        if (calls <= reported) throw new Error(`${calls} calls, after ${reported}`);
        reported = calls;
        await delay(PAUSE_MS);
      }
      isOver = true;
    };
    await Promise.all([questions(), call(client, () => isOver)]);
    return { ours: slowest, theirs: 0 };
  });
}

/** CPU microseconds of our processes per call, with one query per 1000 calls and with none. */
export function statusEffectUs() {
  return withGateway(async ({ client, ask, cpuMs }) => {
    const turn = async (/** @type {() => Promise<unknown>} */ meanwhile) => {
      const before = cpuMs();
      await Promise.all([meanwhile(), call(client, (calls) => calls === CALLS_PER_QUESTION)]);
      return ((cpuMs() - before) * 1000) / CALLS_PER_QUESTION;
    };
    // Warm up the queries, like the calls.
    for (let question = 0; question < WARM_UP_QUESTIONS; question++) await ask();
    return alternate({ turns: TURNS, ours: () => turn(ask), theirs: () => turn(async () => {}) });
  });
}

/** @typedef {{ request: (method: string, params: unknown) => Promise<any> }} Client */
/** @typedef {{ client: Client, ask: () => Promise<number>, cpuMs: () => number }} Warm */

/** @template T @param {(gateway: Warm) => Promise<T>} work @returns {Promise<T>} */
async function withGateway(work) {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const gateway = startGateway(manyUpstreams(UPSTREAMS), {}, home);
  try {
    await gateway.ready(UPSTREAMS * TOOLS);
    await call(gateway.client, (calls) => calls === WARM_UP);
    const [name = ''] = readdirSync(join(home, 'run'));
    return await work({ client: gateway.client, cpuMs: gateway.cpuMs, ask: () => askStatus(join(home, 'run', name)) });
  } finally {
    await gateway.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Keeps `IN_FLIGHT` calls pending, each to the next server, until `isOver`.
 * @param {Client} client @param {(calls: number) => boolean} isOver */
async function call(client, isOver) {
  let calls = 0;
  const caller = async () => {
    while (!isOver(calls)) {
      const name = `s${(calls++ % UPSTREAMS) + 1}__echo`;
      const answer = await client.request('tools/call', { name, arguments: { text: 'x'.repeat(100) } });
      if (answer.result === undefined) throw new Error(JSON.stringify(answer));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
}

/** Queries the status on a new connection, like `mcp status`. Returns its call count. @param {string} address */
async function askStatus(address) {
  const socket = createConnection(address);
  socket.write('{"jsonrpc":"2.0","id":1,"method":"mcp.list"}\n');
  let output = '';
  for await (const text of socket.setEncoding('utf8')) {
    output += text;
    if (output.endsWith('\n')) break;
  }
  /** @type {{ state: string, calls: number }[]} */
  const servers = JSON.parse(output).result.servers;
  const ready = servers.filter(({ state }) => state === 'ready');
  if (ready.length !== UPSTREAMS) throw new Error(`wrong status: ${output.slice(0, 300)}`);
  return ready.reduce((total, { calls }) => total + calls, 0);
}
