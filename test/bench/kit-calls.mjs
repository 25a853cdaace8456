// @ts-check
import { connect } from './client.mjs';
import { cpuMs, finish, startNode } from './process.mjs';

const WARM_UP = 5_000;
const CALLS = 30_000;

/** CPU microseconds per call of a server, warm, 16 in flight. @param {string} server a file in servers/ */
export async function cpuPerCallUs(server) {
  const started = startNode([new URL(`servers/${server}.mjs`, import.meta.url).pathname]);
  const pid = started.pid ?? 0;
  try {
    const client = connect(started);
    await client.initialize();
    await client.calls({ count: WARM_UP, inFlight: 16 });
    const before = cpuMs(pid);
    await client.calls({ count: CALLS, inFlight: 16 });
    return ((cpuMs(pid) - before) * 1000) / CALLS;
  } finally {
    await finish(started);
  }
}
