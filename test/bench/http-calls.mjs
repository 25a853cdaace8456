// @ts-check
import { call } from './gateway-calls.mjs';
import { startBaseline, startGateway } from './gateway-process.mjs';
import { startHttpServer } from './http-server.mjs';
import { alternate } from './rounds.mjs';

/** @typedef {import('./gateway-calls.mjs').Load} Load */

const TURNS = 16;
/** The number of tools of the baseline's server. */
const TOOLS = 5;

/** CPU microseconds per call to an HTTP server, of the gateway and of the baseline, warm, each with its own server.
 * @param {Load} load */
export async function httpCallUs(load) {
  const [ours, theirs] = await Promise.all([open(startGateway, load), open(startBaseline, load)]);
  try {
    return await alternate({ turns: TURNS, ours: ours.measure, theirs: theirs.measure });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** @param {typeof startBaseline} start @param {Load} load */
async function open(start, load) {
  const server = await startHttpServer();
  const entry = /** @type {Parameters<typeof startBaseline>[0]} */ (
    /** @type {unknown} */ ({ s1: { url: server.url } })
  );
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
