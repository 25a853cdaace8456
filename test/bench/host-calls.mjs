// @ts-check
import { floorUpstream } from './gateway-process.mjs';
import { startCaller } from './host-caller.mjs';
import { startHttpServer } from './http-server.mjs';
import { alternate } from './rounds.mjs';

const TURNS = 16;
const WARM_UP = { calls: 10_000, inFlight: 16 };
const ORDER = { calls: 1_500, inFlight: 16 };

/** CPU microseconds per call to a program: of the host and of the raw client, warm, each with a server of its own. */
export function hostStdioUs() {
  const open = (/** @type {string} */ program) => openCaller(program, { entry: floorUpstream(), close: async () => {} });
  return compare(() => open('host-calls'), () => open('raw-calls'));
}

/** The same to a server by HTTP: of the host and of the official client. */
export function hostHttpUs() {
  const open = async (/** @type {string} */ program) => {
    const { url, close } = await startHttpServer();
    return openCaller(program, { entry: { url }, close });
  };
  return compare(() => open('host-calls'), () => open('sdk-v2-calls'));
}

/** @typedef {Awaited<ReturnType<typeof openCaller>>} Caller */

/** @param {() => Promise<Caller>} openOurs @param {() => Promise<Caller>} openTheirs */
async function compare(openOurs, openTheirs) {
  const [ours, theirs] = await Promise.all([openOurs(), openTheirs()]);
  try {
    return await alternate({ turns: TURNS, ours: ours.measure, theirs: theirs.measure });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** @param {string} program @param {{ entry: import('./host-caller.mjs').Entry, close: () => Promise<void> }} server */
async function openCaller(program, server) {
  const caller = await startCaller(program, server.entry);
  await caller.call(WARM_UP);
  return {
    async close() {
      await caller.close();
      await server.close();
    },
    async measure() {
      const before = caller.cpuMs();
      await caller.call(ORDER);
      return ((caller.cpuMs() - before) * 1000) / ORDER.calls;
    },
  };
}
