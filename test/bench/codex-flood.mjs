// @ts-check
import { setTimeout as delay } from 'node:timers/promises';
import { startServer } from './codex-process.mjs';
import { withCodex } from './codex-testbed.mjs';
import { median } from './rounds.mjs';

const FLOOD_SECONDS = 4;
const FLOOD = `[[flood 10000 ${FLOOD_SECONDS}]]`;
/** A turn of the same length with almost no output. */
const QUIET = `[[flood 1 ${FLOOD_SECONDS}]]`;
/** Brings a new process to its final size and speed: the heap grows before full garbage collections start. */
const WARM_UP = '[[flood 10000 12]]';
const CALLS = 200;
const PAUSE_MS = 5;
const SAMPLE_MS = 100;
/** Time from the start of a turn until its output streams. */
const SETTLE_MS = 500;

/** @typedef {ReturnType<typeof startServer>} CodexServer */
/** How the flooding session was started: with `codex_start`, or through the drop-in, which forwards every delta.
 * @typedef {'codex_start' | 'drop-in'} Starter */

/** Median milliseconds of `codex_status` while its session floods (ours) and while it is quiet (theirs).
 * @param {Starter} starter @returns {Promise<Pair>} */
export function floodedStatusMs(starter) {
  return warm(starter, async (during) => ({
    theirs: await during(QUIET, statusMs),
    ours: await during(FLOOD, statusMs),
  }));
}

/** Peak resident MiB of our processes in the first second of a flood (theirs) and in the last (ours).
 * @param {Starter} starter @returns {Promise<Pair>} */
export function floodGrowthMib(starter) {
  return warm(starter, (during) => during(FLOOD, earlyAndLateMib));
}

/** Milliseconds until `codex_interrupt` is answered while the turn streams text. @returns {Promise<Pair>} */
export function interruptMs() {
  return withCodex(async (createHome) => {
    const server = startServer(createHome());
    try {
      await server.client.initialize();
      const sessionId = await server.startSession(FLOOD);
      await delay(SETTLE_MS);
      const begin = performance.now();
      const { status } = await server.call('codex_interrupt', { sessionId });
      const ours = performance.now() - begin;
      if (status !== 'interrupted') throw new Error(`the session is ${status}`);
      return { ours, theirs: 0 };
    } finally {
      await server.close();
    }
  });
}

/** @typedef {import('./rounds.mjs').Pair} Pair */
/** @template Figure @typedef {(server: CodexServer, sessionId: string) => Promise<Figure>} Measure */
/** Measures while a turn runs. @typedef {<Figure>(prompt: string, measure: Measure<Figure>) => Promise<Figure>} During */

/** @param {Starter} starter @param {(during: During) => Promise<Pair>} use */
function warm(starter, use) {
  return withCodex(async (createHome) => {
    const server = startServer(createHome(), '--tools', starter === 'drop-in' ? 'all' : 'core');
    try {
      await server.client.initialize();
      /** @type {During} */
      const during = (prompt, measure) => measureDuring(prompt, { server, starter, measure });
      await server.waitForAll([await begin(server, starter, WARM_UP)]);
      return await use(during);
    } finally {
      await server.close();
    }
  });
}

/** Measures, then waits for the end of the turn.
 * @template Figure @param {string} prompt
 * @param {{ server: CodexServer, starter: Starter, measure: Measure<Figure> }} options */
async function measureDuring(prompt, { server, starter, measure }) {
  const startedAt = performance.now();
  const sessionId = await begin(server, starter, prompt);
  await delay(SETTLE_MS);
  const figure = await measure(server, sessionId);
  await server.waitForAll([sessionId]);
  const seconds = (performance.now() - startedAt) / 1000;
  // If Codex or this machine cannot keep up, the measurement is invalid.
  if (seconds > FLOOD_SECONDS * 1.5) throw new Error(`a turn of ${FLOOD_SECONDS} s took ${seconds.toFixed(1)} s`);
  return figure;
}

/** @param {CodexServer} server @param {Starter} starter @param {string} prompt @returns {Promise<string>} a session */
async function begin(server, starter, prompt) {
  return starter === 'drop-in' ? (await server.startDropIn(prompt)).sessionId : server.startSession(prompt);
}

/** @type {Measure<number>} */
async function statusMs(server, sessionId) {
  const times = [];
  for (let call = 0; call < CALLS; call++) {
    const begin = performance.now();
    const { status } = await server.call('codex_status', { sessionId });
    times.push(performance.now() - begin);
    if (status !== 'active') throw new Error(`the turn ended after ${call} calls`);
    await delay(PAUSE_MS);
  }
  return median(times);
}

/** @type {Measure<Pair>} */
async function earlyAndLateMib(server) {
  const theirs = await mostMib(server);
  await delay((FLOOD_SECONDS - 3) * 1000);
  return { theirs, ours: await mostMib(server) };
}

/** Within one second. @param {CodexServer} server */
async function mostMib(server) {
  let most = 0;
  const end = performance.now() + 1000;
  for (; performance.now() < end; await delay(SAMPLE_MS)) most = Math.max(most, server.residentMib());
  return most;
}
