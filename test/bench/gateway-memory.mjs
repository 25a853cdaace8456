// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { tinyServer } from './gateway-baseline.mjs';
import { manyUpstreams, startGateway } from './gateway-process.mjs';

const CALLS = 20_000;
const IN_FLIGHT = 16;
const FEW = 20;
/** Node servers take about 40 MiB each, so there are fewer of them. */
const MANY = tinyServer() === undefined ? 40 : 200;
/** Time for the gateway to release the memory of the list. */
const SETTLE_MS = 500;

/** Resident MiB of all our processes with twenty servers. */
export async function fewUpstreamsMib() {
  return { ours: await residentMib(FEW), theirs: 0 };
}

/** KiB per additional server, from twenty to two hundred. */
export async function upstreamKib() {
  const few = await residentMib(FEW);
  const many = await residentMib(MANY);
  return { ours: ((many - few) * 1024) / (MANY - FEW), theirs: 0 };
}

/** Resident MiB after 20 000 calls (theirs) and after another 20 000 (ours). */
export async function growthMib() {
  const gateway = await open(FEW);
  await call(gateway.client);
  const theirs = gateway.residentMib();
  await call(gateway.client);
  const ours = gateway.residentMib();
  await gateway.close();
  return { ours, theirs };
}

/** Resident MiB after 20 000 calls. */
export async function afterCallsMib() {
  const gateway = await open(FEW);
  await call(gateway.client);
  const ours = gateway.residentMib();
  await gateway.close();
  return { ours, theirs: 0 };
}

/** @param {number} upstreams */
async function residentMib(upstreams) {
  const gateway = await open(upstreams);
  await delay(SETTLE_MS);
  const mib = gateway.residentMib();
  await gateway.close();
  return mib;
}

/** @param {number} upstreams */
async function open(upstreams) {
  const gateway = startGateway(manyUpstreams(upstreams));
  // Each server has at least three tools.
  await gateway.ready(upstreams * 3);
  return gateway;
}

/** @param {{ request: (method: string, params: unknown) => Promise<any> }} client */
async function call(client) {
  let started = 0;
  const caller = async () => {
    while (started < CALLS) {
      const name = `s${(started++ % FEW) + 1}__echo`;
      const answer = await client.request('tools/call', { name, arguments: { text: 'x'.repeat(100) } });
      if (answer.result === undefined) throw new Error(JSON.stringify(answer));
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
}
