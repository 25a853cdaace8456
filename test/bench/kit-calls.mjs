// @ts-check
import { fileURLToPath } from 'node:url';
import { connect } from './client.mjs';
import { cpuMs, finish, startNode } from './process.mjs';
import { alternate } from './rounds.mjs';

const WARM_UP = 20_000;
const CALLS = 10_000;
const TURNS = 8;

/**
 * CPU microseconds per call of two servers, warm, 16 calls in flight.
 * @param {{ ours: string, theirs: string }} servers files in servers/
 */
export async function cpuPerCallUs({ ours, theirs }) {
  const [mine, other] = await Promise.all([open(ours), open(theirs)]);
  try {
    return await alternate({ turns: TURNS, ours: mine.measure, theirs: other.measure });
  } finally {
    await Promise.all([mine.close(), other.close()]);
  }
}

/** @param {string} server */
async function open(server) {
  const started = startNode([fileURLToPath(new URL(`servers/${server}.mjs`, import.meta.url))]);
  const client = connect(started);
  await client.initialize();
  await client.calls({ count: WARM_UP, inFlight: 16 });
  const cpu = () => cpuMs(started.pid ?? 0);
  return {
    close: () => finish(started),
    async measure() {
      const before = cpu();
      await client.calls({ count: CALLS, inFlight: 16 });
      return ((cpu() - before) * 1000) / CALLS;
    },
  };
}
