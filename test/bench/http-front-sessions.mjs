// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { openSession, useSessions } from './http-clients.mjs';
import { callAll } from './http-front-calls.mjs';
import { startGatewayFront } from './http-fronts.mjs';
import { alternate } from './rounds.mjs';

const SESSIONS = 1_000;
const IN_FLIGHT = 16;
const WARM_UP = 10_000;
const CALLS = 1_500;
const TURNS = 16;
/** Sessions that are opened at the same time. */
const AT_ONCE = 20;
/** Sessions before the measurement, so that code and buffers that all sessions share are not counted. */
const FIRST = 50;
/** Time for the gateway to release the memory of the handshakes. */
const SETTLE_MS = 1_000;

/** Resident KiB of the gateway for each session with an open GET stream. */
export async function sessionKib() {
  const front = await startGatewayFront();
  const opened = await openSessions(front, FIRST);
  await call(front, opened);
  await delay(SETTLE_MS);
  const before = front.residentMib();
  opened.push(...(await openSessions(front, SESSIONS)));
  await delay(SETTLE_MS);
  const after = front.residentMib();
  for (const { close } of opened) close();
  await front.close();
  return { ours: ((after - before) * 1024) / SESSIONS, theirs: 0 };
}

/** CPU microseconds per call with a thousand sessions that listen, and with one. The calls use all sessions in turn. */
export async function manySessionsCallUs() {
  const [ours, theirs] = await Promise.all([openLoad(SESSIONS), openLoad(1)]);
  try {
    return await alternate({ turns: TURNS, ours: ours.measure, theirs: theirs.measure });
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
  }
}

/** @param {number} count */
async function openLoad(count) {
  const front = await startGatewayFront();
  const opened = await openSessions(front, count);
  let last = 0;
  const callers = Array.from({ length: IN_FLIGHT }, () =>
    useSessions(front, () => opened[last++ % count]?.sessionHeaders ?? ''),
  );
  await callAll(callers, front.tool, WARM_UP);
  return {
    async measure() {
      const before = front.cpuMs();
      await callAll(callers, front.tool, CALLS);
      return ((front.cpuMs() - before) * 1000) / CALLS;
    },
    async close() {
      for (const { close } of [...callers, ...opened]) close();
      await front.close();
    },
  };
}

/** @typedef {{ close: () => void, call: import('./http-clients.mjs').HttpCaller['call'], sessionHeaders: string }} Opened */

/** Opens sessions with a GET stream each. The connection of the session closes, that of the stream stays open.
 * @param {import('./http-fronts.mjs').Front} front @param {number} count */
async function openSessions(front, count) {
  /** @type {{ close: () => void, sessionHeaders: string }[]} */
  const opened = [];
  let started = 0;
  const open = async () => {
    while (started++ < count) {
      const session = await openSession(front);
      const stream = await session.listen();
      session.close();
      opened.push({ sessionHeaders: session.sessionHeaders, close: stream.close });
    }
  };
  await Promise.all(Array.from({ length: Math.min(AT_ONCE, count) }, open));
  return opened;
}

/** @param {import('./http-fronts.mjs').Front} front @param {readonly { sessionHeaders: string }[]} opened */
async function call(front, opened) {
  let last = 0;
  const caller = useSessions(front, () => opened[last++ % opened.length]?.sessionHeaders ?? '');
  await callAll([caller], front.tool, WARM_UP);
  caller.close();
}
