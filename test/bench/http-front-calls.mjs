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
  const [gateway, other] = await Promise.all([startGatewayFront(), startOther()]);
  try {
    const ours = await openLoad(gateway, openSession, amount);
    const theirs = await openLoad(other, openOther, amount);
    return await alternate({ turns: TURNS, ours, theirs });
  } finally {
    await Promise.all([gateway.close(), other.close()]);
  }
}

/** CPU microseconds per call of modern clients and of legacy sessions, of the same gateway. */
export async function modernCallUs() {
  const front = await startGatewayFront();
  try {
    const ours = await openLoad(front, async (address) => openModernClient(address), MANY);
    const theirs = await openLoad(front, openSession, MANY);
    return await alternate({ turns: TURNS, ours, theirs });
  } finally {
    await front.close();
  }
}

/** Opens clients of a front and warms it up. The returned function measures CPU microseconds per call.
 * @param {Front} front @param {(front: Front) => Promise<HttpCaller>} open @param {Amount} amount */
async function openLoad(front, open, { warmUp, calls }) {
  const callers = await Promise.all(Array.from({ length: IN_FLIGHT }, () => open(front)));
  await callAll(callers, front.tool, warmUp);
  return async () => {
    const before = front.cpuMs();
    await callAll(callers, front.tool, calls);
    return ((front.cpuMs() - before) * 1000) / calls;
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
