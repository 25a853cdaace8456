// @ts-check
import { openModernClient, openSession } from './http-clients.mjs';
import { startGatewayFront } from './http-fronts.mjs';
import { alternate } from './rounds.mjs';

/** @typedef {import('./http-clients.mjs').HttpCaller} HttpCaller */
/** @typedef {import('./http-fronts.mjs').Front} Front */

const TURNS = 16;
const IN_FLIGHT = 16;
/** Calls before the measurement, and per turn. @typedef {{ warmUp: number, calls: number }} Amount */
/** @type {Amount} */
const MANY = { warmUp: 10_000, calls: 1_500 };
/** For programs that take a millisecond per call. @type {Amount} */
export const FEW = { warmUp: 5_000, calls: 200 };
const TEXT = 'x'.repeat(100);

/** CPU microseconds per call of the gateway and of another front: 100 B, 16 sessions with a call each in flight.
 * @param {() => Promise<Front>} startOther @param {(front: Front) => Promise<HttpCaller>} [openOther]
 * @param {Amount} [amount] */
export async function httpFrontCallUs(startOther, openOther = openSession, amount = MANY) {
  const [ours, theirs] = await Promise.all([
    startGatewayFront().then((front) => openLoad(front, openSession, amount)),
    startOther().then((front) => openLoad(front, openOther, amount)),
  ]);
  try {
    return await alternate({ turns: TURNS, ours: ours.measure, theirs: theirs.measure });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** CPU microseconds per call of modern clients and of legacy sessions, of the same gateway. */
export async function modernCallUs() {
  const front = await startGatewayFront();
  const modern = await openLoad(front, async (address) => openModernClient(address));
  const legacy = await openLoad(front, openSession);
  try {
    return await alternate({ turns: TURNS, ours: modern.measure, theirs: legacy.measure });
  } finally {
    modern.disconnect();
    await legacy.close();
  }
}

/** Opens warm clients of a front.
 * @param {Front} front @param {(front: Front) => Promise<HttpCaller>} open @param {Amount} [amount] */
async function openLoad(front, open, { warmUp, calls } = MANY) {
  const callers = await Promise.all(Array.from({ length: IN_FLIGHT }, () => open(front)));
  await callAll(callers, front.tool, warmUp);
  const disconnect = () => {
    for (const { close } of callers) close();
  };
  return {
    disconnect,
    async measure() {
      const before = front.cpuMs();
      await callAll(callers, front.tool, calls);
      return ((front.cpuMs() - before) * 1000) / calls;
    },
    async close() {
      disconnect();
      await front.close();
    },
  };
}

/** Makes `calls` calls in all. Each caller sends the next one when it has the response to the last one.
 * @param {readonly HttpCaller[]} callers @param {string} tool @param {number} calls */
export async function callAll(callers, tool, calls) {
  let started = 0;
  const loop = async (/** @type {HttpCaller} */ caller) => {
    while (started < calls) {
      started++;
      await caller.call(tool, TEXT);
    }
  };
  await Promise.all(callers.map(loop));
}
