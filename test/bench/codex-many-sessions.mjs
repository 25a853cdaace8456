// @ts-check
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { startExec, startServer, treeMib } from './codex-process.mjs';
import { withCodex } from './codex-testbed.mjs';
import { alternate } from './rounds.mjs';

/** @typedef {import('./codex-testbed.mjs').CodexHome} CodexHome */

const SESSIONS = 8;
const TURNS = 3;
/** Longer than starting and measuring all sessions takes. The benchmark does not wait for its end. */
const LONG_TURN = '[[flood 10 60]]';
/** After this time, Codex has released the memory that it needs only to start a turn. */
const SETTLE_MS = 1_000;

/** Milliseconds for eight trivial turns in eight new sessions at once: on our warm engine, and with eight `codex exec`. */
export function manySessionsMs() {
  return withCodex(async (createHome) => {
    const server = startServer(createHome());
    const home = createHome();
    await server.client.initialize();
    await server.waitForAll([await server.startSession('say a word')]);
    const ours = async () => server.waitForAll(await many(() => server.startSession('say a word')));
    const theirs = () => many(() => succeeds(startExec(home, 'say a word')));
    try {
      return await alternate({ turns: TURNS, ours: () => timed(ours), theirs: () => timed(theirs) });
    } finally {
      await server.close();
    }
  });
}

/** Resident MiB of all processes, Codex and ours, while eight turns run. */
export function manySessionsMib() {
  return withCodex(async (createHome) => ({ ours: await ourMib(createHome()), theirs: await execMib(createHome()) }));
}

/** @param {CodexHome} home */
async function ourMib(home) {
  const server = startServer(home);
  try {
    await server.client.initialize();
    await many(() => server.startSession(LONG_TURN));
    await delay(SETTLE_MS);
    return treeMib(server.pid);
  } finally {
    await server.close();
  }
}

/** @param {CodexHome} home */
async function execMib(home) {
  const runs = Array.from({ length: SESSIONS }, () => startExec(home, LONG_TURN));
  try {
    await Promise.all(runs.map(turnStarted));
    await delay(SETTLE_MS);
    return runs.reduce((total, { pid }) => total + treeMib(pid ?? 0), 0);
  } finally {
    await Promise.all(runs.map(end));
  }
}

/** @template Result @param {() => Promise<Result>} run */
function many(run) {
  return Promise.all(Array.from({ length: SESSIONS }, run));
}

/** @param {() => Promise<unknown>} run */
async function timed(run) {
  const begin = performance.now();
  await run();
  return performance.now() - begin;
}

/** @param {ReturnType<typeof startExec>} run */
async function succeeds(run) {
  const [code] = await once(run, 'exit');
  if (code !== 0) throw new Error(`codex exec exited with status ${code}`);
}

/** @param {ReturnType<typeof startExec>} run */
async function turnStarted(run) {
  for await (const chunk of run.stdout.iterator({ destroyOnReturn: false }))
    if (String(chunk).includes('turn.started')) return;
  throw new Error('codex exec exited before its turn started');
}

/** @param {ReturnType<typeof startExec>} run */
async function end(run) {
  run.stdout.resume();
  run.kill('SIGKILL');
  if (run.exitCode === null && run.signalCode === null) await once(run, 'exit');
}
