// @ts-check
import { baselineUpstream, startBaseline, startGateway, upstream } from './gateway-process.mjs';
import { alternate } from './rounds.mjs';

/**
 * @typedef {object} Load
 * @property {string} tool
 * @property {Record<string, unknown>} args
 * @property {number} [answerLength] length of the returned text
 * @property {boolean} [isOwn] uses the server in this folder instead of the baseline's
 * @property {number} inFlight
 * @property {number} warmUp calls before the measurement
 * @property {number} calls per turn
 */

const TURNS = 16;
const text = 'x'.repeat(100);
const structured = { args: {}, isOwn: true, inFlight: 1, warmUp: 40, calls: 8 };
const small = { tool: 'echo', args: { text }, answerLength: text.length, warmUp: 10_000, calls: 1_500 };

/** The shapes of calls. Sizes are those of the results. @satisfies {Record<string, Load>} */
export const loads = {
  small: { ...small, inFlight: 16 },
  sequential: { ...small, inFlight: 1, warmUp: 5_000, calls: 800 },
  medium: { tool: 'big', args: { kib: 10 }, answerLength: 10 * 1024, inFlight: 16, warmUp: 3_000, calls: 500 },
  large: { tool: 'big', args: { kib: 1024 }, answerLength: 1024 * 1024, inFlight: 1, warmUp: 40, calls: 8 },
  numbers: { ...structured, tool: 'numbers' },
  rows: { ...structured, tool: 'rows' },
};

/** CPU microseconds per call of the gateway and of the baseline, warm, each with its own server. @param {Load} load */
export async function gatewayCallUs(load) {
  const [ours, theirs] = await Promise.all([open(startGateway, load), open(startBaseline, load)]);
  try {
    return await alternate({ turns: TURNS, ours: ours.measure, theirs: theirs.measure });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

const FRESH_CALLS = 800;
const FRESH_TURNS = 3;

/** CPU microseconds per call of the first calls in a process, of the gateway and of the baseline, before the JIT has
 * compiled anything. @param {Load} load */
export async function freshCallUs(load) {
  const first = { ...load, warmUp: 0, calls: FRESH_CALLS };
  const measure = (/** @type {typeof startBaseline} */ start) => async () => {
    const opened = await open(start, first);
    try {
      return await opened.measure();
    } finally {
      await opened.close();
    }
  };
  return alternate({ turns: FRESH_TURNS, ours: measure(startGateway), theirs: measure(startBaseline) });
}

/** @param {typeof startBaseline} start @param {Load} load */
async function open(start, load) {
  const started = start({ s1: load.isOwn === true ? upstream('--structured') : baselineUpstream() });
  await started.ready(5);
  if (load.warmUp > 0) await call(started.client, { ...load, calls: load.warmUp });
  return {
    close: () => started.close(),
    async measure() {
      const before = started.cpuMs();
      await call(started.client, load);
      return ((started.cpuMs() - before) * 1000) / load.calls;
    },
  };
}

/** Keeps `inFlight` calls pending. Each is sent when the previous one has its response, as clients do.
 * @param {{ request: (method: string, params: unknown) => Promise<any> }} client @param {Load} load */
export async function call(client, { tool, args, answerLength, inFlight, calls }) {
  let started = 0;
  const caller = async () => {
    while (started < calls) {
      started++;
      const answer = await client.request('tools/call', { name: `s1__${tool}`, arguments: args });
      const length = answer.result?.content?.[0]?.text?.length;
      if (length === undefined || (answerLength !== undefined && length !== answerLength))
        throw new Error(`wrong answer: ${JSON.stringify(answer).slice(0, 300)}`);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, caller));
}
