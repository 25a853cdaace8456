// @ts-check
import { openAppServer, startServer } from './codex-process.mjs';
import { withCodex } from './codex-world.mjs';
import { alternate } from './rounds.mjs';

const TURNS = 15;
const WARM_UP = 3;
const PROMPT = 'say a word';

/**
 * Milliseconds through our tools and on an app-server directly, both warm: until a turn runs, or until it is over.
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

/** The next measure begins when the turn is over, whatever is measured.
 * @param {'active' | 'done'} until @param {() => Promise<{ over: () => Promise<unknown> }>} start */
async function timed(until, start) {
  const begin = performance.now();
  const { over } = await start();
  const activeMs = performance.now() - begin;
  await over();
  return until === 'active' ? activeMs : performance.now() - begin;
}
