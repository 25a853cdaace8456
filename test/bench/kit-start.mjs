// @ts-check
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connect } from './client.mjs';
import { cpuMs, finish, residentMib, startNode, waitedCpuMs } from './process.mjs';
import { alternate } from './rounds.mjs';

const TURNS = 8;
/** The kernel shows the CPU of ended processes in ticks of 10 ms, so several are measured together. */
const BARE_STARTS = 4;
const server = fileURLToPath(new URL('servers/kit-json-schema.mjs', import.meta.url));

/** CPU milliseconds: the kit server from spawn until it has answered `initialize`, and a whole `node -e 0`. */
export function startMs() {
  return alternate({ turns: TURNS, ours: kitStartMs, theirs: bareNodeMs });
}

async function kitStartMs() {
  let total = 0;
  for (let start = 0; start < BARE_STARTS; start++) {
    const started = startNode([server]);
    await connect(started).initialize();
    total += cpuMs(started.pid ?? 0);
    await finish(started);
  }
  return total / BARE_STARTS;
}

async function bareNodeMs() {
  const before = waitedCpuMs();
  for (let start = 0; start < BARE_STARTS; start++) await once(startNode(['-e', '0']), 'exit');
  return (waitedCpuMs() - before) / BARE_STARTS;
}

/** Resident MiB of the kit server after a call, and of an idle Node process that waits for stdin. */
export async function memoryMib() {
  return { ours: await kitMib(), theirs: await bareNodeMib() };
}

async function kitMib() {
  const started = startNode([server]);
  const client = connect(started);
  await client.initialize();
  await client.calls({ count: 1, inFlight: 1 });
  const mib = residentMib(started.pid ?? 0);
  await finish(started);
  return mib;
}

async function bareNodeMib() {
  const started = startNode(['-e', 'process.stdin.resume(); process.stdout.write("ready\\n")']);
  if (started.stdout !== null) await once(started.stdout, 'data');
  const mib = residentMib(started.pid ?? 0);
  await finish(started);
  return mib;
}
