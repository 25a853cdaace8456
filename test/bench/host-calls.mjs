// @ts-check
import { baselineUpstream } from './gateway-process.mjs';
import { startCaller } from './host-caller.mjs';
import { startHttpServer } from './http-server.mjs';
import { alternate } from './rounds.mjs';

const TURNS = 16;
const IN_FLIGHT = 16;

/** The number of calls before the measurement, and in each turn. @typedef {{ warmUp: number, calls: number }} Load */

/** @type {Load} */
const program = { warmUp: 20_000, calls: 3_000 };
/** HTTP is much slower, so fewer calls must do. @type {Load} */
const address = { warmUp: 4_000, calls: 400 };

/** CPU microseconds per call to a stdio server, of the host and of the raw client, warm, each with its own server. */
export function hostStdioUs() {
  const open = async (/** @type {string} */ caller) => measured(await startCaller(caller, baselineUpstream()), program);
  return compare(open('host-calls'), open('raw-calls'));
}

/** The same over HTTP, of the host and of the official client. */
export function hostHttpUs() {
  const open = async (/** @type {string} */ caller) => {
    const { url, close } = await startHttpServer();
    return measured(await startCaller(caller, { url }), address, close);
  };
  return compare(open('host-calls'), open('sdk-v2-calls'));
}

/** @typedef {Awaited<ReturnType<typeof measured>>} Measured */

/** @param {Promise<Measured>} openingOurs @param {Promise<Measured>} openingTheirs */
async function compare(openingOurs, openingTheirs) {
  const [ours, theirs] = await Promise.all([openingOurs, openingTheirs]);
  try {
    return await alternate({ turns: TURNS, ours: ours.turn, theirs: theirs.turn });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** @param {Awaited<ReturnType<typeof startCaller>>} caller @param {Load} load @param {() => Promise<void>} closeServer */
async function measured(caller, { warmUp, calls }, closeServer = async () => {}) {
  await caller.call({ calls: warmUp, inFlight: IN_FLIGHT });
  return {
    async close() {
      await caller.close();
      await closeServer();
    },
    async turn() {
      const before = caller.cpuMs();
      await caller.call({ calls, inFlight: IN_FLIGHT });
      return ((caller.cpuMs() - before) * 1000) / calls;
    },
  };
}
