// @ts-check
import { startFloor, startGateway } from './gateway-process.mjs';
import { startHttpServer } from './http-server.mjs';
import { alternate } from './rounds.mjs';

/** @typedef {import('./gateway-calls.mjs').Load} Load */

const TURNS = 16;
/** What the server of the floor offers. */
const TOOLS = 5;

/** CPU microseconds per call of the gateway and of the floor to a server by HTTP, warm, each with one of its own.
 * @param {Load} load */
export async function httpCallUs(load) {
  const [ours, theirs] = await Promise.all([open(startGateway, load), open(startFloor, load)]);
  try {
    return await alternate({ turns: TURNS, ours: ours.measure, theirs: theirs.measure });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** @param {typeof startFloor} start @param {Load} load */
async function open(start, load) {
  const server = await startHttpServer();
  const entry = /** @type {Parameters<typeof startFloor>[0]} */ (/** @type {unknown} */ ({ s1: { url: server.url } }));
  const started = start(entry);
  await started.ready(TOOLS);
  await call(started.client, { ...load, calls: load.warmUp });
  return {
    async close() {
      await started.close();
      await server.close();
    },
    async measure() {
      const before = started.cpuMs();
      await call(started.client, load);
      return ((started.cpuMs() - before) * 1000) / load.calls;
    },
  };
}

/** Always `inFlight` calls at once; each is written when the one before it has been answered, as clients do it.
 * @param {{ request: (method: string, params: unknown) => Promise<any> }} client @param {Load} load */
async function call(client, { tool, args, answerLength, inFlight, calls }) {
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
