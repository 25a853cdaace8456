// @ts-check
import { openAppServer, startServer } from './codex-process.mjs';
import { withCodex } from './codex-testbed.mjs';
import { alternate } from './rounds.mjs';

const TURNS = 15;
const WARM_UP = 3;
const PROMPT = 'say a word';

/**
 * Milliseconds through our tools and on an app-server directly, both warm, until a turn is running or has ended.
 * @param {'active' | 'done'} until
 */
export function turnMs(until) {
  return withCodex(async (createHome) => {
    const ours = startServer(createHome());
    const theirs = await openAppServer(createHome());
    await ours.client.initialize();
    const measureOurs = () =>
      timed(until, async () => {
        const sessionId = await ours.startSession(PROMPT);
        return { over: () => ours.waitForAll([sessionId]) };
      });
    const measureTheirs = () =>
      timed(until, async () => {
        const { completed } = await theirs.startTurn(PROMPT);
        return { over: () => completed };
      });
    try {
      await alternate({ turns: WARM_UP, ours: measureOurs, theirs: measureTheirs });
      return await alternate({ turns: TURNS, ours: measureOurs, theirs: measureTheirs });
    } finally {
      await Promise.all([ours.close(), theirs.close()]);
    }
  });
}

/** Always waits for the end of the turn before the next measurement.
 * @param {'active' | 'done'} until @param {() => Promise<{ over: () => Promise<unknown> }>} start */
async function timed(until, start) {
  const begin = performance.now();
  const { over } = await start();
  const activeMs = performance.now() - begin;
  await over();
  return until === 'active' ? activeMs : performance.now() - begin;
}
