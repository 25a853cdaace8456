// @ts-check
import { once } from 'node:events';
import { startServer } from './codex-process.mjs';
import { withCodex } from './codex-testbed.mjs';
import { cpuMs, finish, residentMib, startNode, waitedCpuMs } from './process.mjs';
import { alternate } from './rounds.mjs';

const TURNS = 4;
/** The kernel shows the CPU of ended processes in ticks of 10 ms, so several are measured together. */
const STARTS = 4;

/** CPU milliseconds: our server from spawn until `initialize` is answered, and a whole `node -e 0`. */
export function codexStartMs() {
  return withCodex((createHome) => {
    const home = createHome();
    return alternate({ turns: TURNS, ours: () => untilHelloMs(home), theirs: bareNodeMs });
  });
}

/** Our server is a single process at this point. Codex and the guard start with the first call that needs them.
 * @param {import('./codex-testbed.mjs').CodexHome} home */
async function untilHelloMs(home) {
  let total = 0;
  for (let start = 0; start < STARTS; start++) {
    const server = startServer(home);
    await server.client.initialize();
    total += cpuMs(server.pid);
    await server.close();
  }
  return total / STARTS;
}

async function bareNodeMs() {
  const before = waitedCpuMs();
  for (let start = 0; start < STARTS; start++) await once(startNode(['-e', '0']), 'exit');
  return (waitedCpuMs() - before) / STARTS;
}

/** Resident MiB of our processes without Codex after a turn, and of an idle Node process that waits for stdin. */
export async function besideCodexMib() {
  return { ours: await withCodex(afterTurnMib), theirs: await bareNodeMib() };
}

/** @param {() => import('./codex-testbed.mjs').CodexHome} createHome */
async function afterTurnMib(createHome) {
  const server = startServer(createHome());
  await server.client.initialize();
  await server.waitForAll([await server.startSession('say a word')]);
  const mib = server.residentMib();
  await server.close();
  return mib;
}

async function bareNodeMib() {
  const started = startNode(['-e', 'process.stdin.resume(); process.stdout.write("ready\\n")']);
  if (started.stdout !== null) await once(started.stdout, 'data');
  const mib = residentMib(started.pid ?? 0);
  await finish(started);
  return mib;
}
