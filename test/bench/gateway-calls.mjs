// @ts-check
import { floorUpstream, startFloor, startGateway } from './gateway-process.mjs';
import { alternate } from './rounds.mjs';

/**
 * @typedef {object} Load
 * @property {string} tool
 * @property {Record<string, unknown>} args
 * @property {number} answerLength of the text that comes back
 * @property {number} inFlight
 * @property {number} warmUp calls before anything is counted
 * @property {number} calls per turn
 */

const TURNS = 16;
const text = 'x'.repeat(100);
const small = { tool: 'echo', args: { text }, answerLength: text.length, warmUp: 10_000, calls: 1_500 };

/** What calls look like; sizes are those of the answers. @satisfies {Record<string, Load>} */
export const loads = {
  small: { ...small, inFlight: 16 },
  sequential: { ...small, inFlight: 1, warmUp: 5_000, calls: 800 },
  medium: { tool: 'big', args: { kib: 10 }, answerLength: 10 * 1024, inFlight: 16, warmUp: 3_000, calls: 500 },
  large: { tool: 'big', args: { kib: 1024 }, answerLength: 1024 * 1024, inFlight: 1, warmUp: 40, calls: 8 },
};

/** CPU microseconds per call of the gateway and of the floor, warm, each with a server of its own. @param {Load} load */
export async function gatewayCallUs(load) {
  const [ours, theirs] = await Promise.all([open(startGateway, load), open(startFloor, load)]);
  try {
    return await alternate({ turns: TURNS, ours: ours.measure, theirs: theirs.measure });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** @param {typeof startFloor} start @param {Load} load */
async function open(start, load) {
  const started = start({ s1: floorUpstream() });
  await started.ready(5);
  await call(started.client, { ...load, calls: load.warmUp });
  return {
    close: () => started.close(),
    async measure() {
      const before = started.cpuMs();
      await call(started.client, load);
      return ((started.cpuMs() - before) * 1000) / load.calls;
    },
  };
}

/** Always `inFlight` calls at once; each is written when the one before it has been answered, as clients do it.
 * @param {{ request: (method: string, params: unknown) => Promise<any> }} client @param {Load} load */
export async function call(client, { tool, args, answerLength, inFlight, calls }) {
  let started = 0;
  const caller = async () => {
    while (started < calls) {
      started++;
      const answer = await client.request('tools/call', { name: `s1__${tool}`, arguments: args });
      const length = answer.result?.content?.[0]?.text?.length;
      if (length !== answerLength) throw new Error(`wrong answer: ${JSON.stringify(answer).slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
}
