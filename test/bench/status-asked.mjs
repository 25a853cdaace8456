// @ts-check
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { tinyServer } from './gateway-floor.mjs';
import { manyUpstreams, startGateway } from './gateway-process.mjs';
import { alternate } from './rounds.mjs';

const UPSTREAMS = 200;
/** Of each of the small servers. */
const TOOLS = 5;
const IN_FLIGHT = 16;
const WARM_UP_MS = 1_000;
const QUESTIONS = 20;
const EVERY_MS = 100;
const TURNS = 4;
const TURN_MS = 1_000;

/** Why it cannot be measured here; undefined: it can. */
export const missing =
  tinyServer() === undefined ? 'so many servers at once have to be small: the floor or a C compiler is not here' : undefined;

/** Milliseconds until the status has been read, the slowest of many questions, while calls are under way without pause. */
export function statusMs() {
  return withGateway(async ({ ask, load }) => {
    let slowest = 0;
    let told = 0;
    await load(async () => {
      for (let question = 0; question < QUESTIONS; question++) {
        const before = performance.now();
        const calls = await ask();
        slowest = Math.max(slowest, performance.now() - before);
        if (calls <= told) throw new Error(`${calls} calls, after ${told}`);
        told = calls;
        await delay(EVERY_MS / 2);
      }
    });
    return { ours: slowest, theirs: 0 };
  });
}

/** CPU microseconds of a call, of all that is ours: while the status is asked for ten times a second, and without that. */
export function statusEffectUs() {
  return withGateway(({ ask, load }) => {
    const asking = async () => {
      for (const end = performance.now() + TURN_MS; performance.now() < end; ) {
        const next = delay(EVERY_MS);
        await ask();
        await next;
      }
    };
    return alternate({ turns: TURNS, ours: () => load(asking), theirs: () => load(() => delay(TURN_MS)) });
  });
}

/** @typedef {{ ask: () => Promise<number>, load: (meanwhile: () => Promise<void>) => Promise<number> }} Busy */

/** @template T @param {(busy: Busy) => Promise<T>} work @returns {Promise<T>} */
async function withGateway(work) {
  const home = mkdtempSync(join(tmpdir(), 'switchboard-bench-'));
  const gateway = startGateway(manyUpstreams(UPSTREAMS), {}, home);
  /** CPU microseconds per call while the other is done. @param {() => Promise<void>} meanwhile */
  const load = async (meanwhile) => {
    const before = gateway.cpuMs();
    const calls = await callWhile(gateway.client, meanwhile);
    return ((gateway.cpuMs() - before) * 1000) / calls;
  };
  try {
    await gateway.ready(UPSTREAMS * TOOLS);
    const [name = ''] = readdirSync(join(home, 'run'));
    const ask = () => askStatus(join(home, 'run', name));
    await load(async () => {
      await ask();
      await delay(WARM_UP_MS);
    });
    return await work({ ask, load });
  } finally {
    await gateway.close();
    rmSync(home, { recursive: true, force: true });
  }
}

/** Always as many calls in flight, each to the next server, until the other is done; how many there were.
 * @param {{ request: (method: string, params: unknown) => Promise<any> }} client @param {() => Promise<void>} meanwhile */
async function callWhile(client, meanwhile) {
  let calls = 0;
  let isOver = false;
  const caller = async () => {
    while (!isOver) {
      const name = `s${(calls++ % UPSTREAMS) + 1}__echo`;
      const answer = await client.request('tools/call', { name, arguments: { text: 'x'.repeat(100) } });
      if (answer.result === undefined) throw new Error(JSON.stringify(answer));
    }
  };
  const over = async () => {
    await meanwhile();
    isOver = true;
  };
  await Promise.all([over(), ...Array.from({ length: IN_FLIGHT }, caller)]);
  return calls;
}

/** On a connection of its own, as `mcp status` does it; how many calls it tells of. @param {string} address */
async function askStatus(address) {
  const socket = createConnection(address);
  socket.write('{"jsonrpc":"2.0","id":1,"method":"mcp.list"}\n');
  let said = '';
  for await (const text of socket.setEncoding('utf8')) {
    said += text;
    if (said.endsWith('\n')) break;
  }
  /** @type {{ state: string, calls: number }[]} */
  const servers = JSON.parse(said).result.servers;
  const ready = servers.filter(({ state }) => state === 'ready');
  if (ready.length !== UPSTREAMS) throw new Error(`wrong status: ${said.slice(0, 300)}`);
  return ready.reduce((total, { calls }) => total + calls, 0);
}
