// @ts-check
import { once } from 'node:events';
import { connect } from './client.mjs';
import { cpuMs, finish, residentMib, startNode, waitedCpuMs } from './process.mjs';

const STARTS = 20;
const server = new URL('servers/kit-json-schema.mjs', import.meta.url).pathname;

/** CPU milliseconds from spawn until the kit server has answered `initialize`; the mean of many starts. */
export async function kitStartMs() {
  let total = 0;
  for (let start = 0; start < STARTS; start++) {
    const started = startNode([server]);
    await connect(started).initialize();
    total += cpuMs(started.pid ?? 0);
    await finish(started);
  }
  return total / STARTS;
}

/** CPU milliseconds of a whole `node -e 0`; the mean of many runs. */
export async function bareNodeMs() {
  const before = waitedCpuMs();
  for (let start = 0; start < STARTS; start++) await once(startNode(['-e', '0']), 'exit');
  return (waitedCpuMs() - before) / STARTS;
}

/** Resident MiB of the kit server after `initialize` and a call. */
export async function kitMib() {
  const started = startNode([server]);
  const client = connect(started);
  await client.initialize();
  await client.calls({ count: 1, inFlight: 1 });
  const mib = residentMib(started.pid ?? 0);
  await finish(started);
  return mib;
}

/** Resident MiB of a node that waits for its stdin and does nothing else. */
export async function bareNodeMib() {
  const started = startNode(['-e', 'process.stdin.resume(); process.stdout.write("ready\\n")']);
  if (started.stdout !== null) await once(started.stdout, 'data');
  const mib = residentMib(started.pid ?? 0);
  await finish(started);
  return mib;
}
