// @ts-check
import { once } from 'node:events';
import { manyUpstreams, startGateway } from './gateway-process.mjs';
import { cpuMs, startNode, waitedCpuMs } from './process.mjs';
import { alternate } from './rounds.mjs';

const TURNS = 3;
/** The kernel shows the CPU of ended processes in ticks of 10 ms, so several are measured together. */
const STARTS = 4;

/** CPU milliseconds: the gateway from spawn until `initialize` is answered, and a whole `node -e 0`.
 * @param {number} upstreams */
export function gatewayStartMs(upstreams) {
  return alternate({ turns: TURNS, ours: () => untilInitialized(upstreams), theirs: bareNodeMs });
}

/** The gateway is a single process at this point: servers and guard start after the response is sent.
 * @param {number} upstreams */
async function untilInitialized(upstreams) {
  let total = 0;
  for (let start = 0; start < STARTS; start++) {
    const gateway = startGateway(manyUpstreams(upstreams));
    await gateway.client.request('initialize', {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'bench', version: '1' },
    });
    total += cpuMs(gateway.pid);
    await gateway.close();
  }
  return total / STARTS;
}

async function bareNodeMs() {
  const before = waitedCpuMs();
  for (let start = 0; start < STARTS; start++) await once(startNode(['-e', '0']), 'exit');
  return (waitedCpuMs() - before) / STARTS;
}
