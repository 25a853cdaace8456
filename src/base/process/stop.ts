import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessTree } from './process-tree.ts';
import type { Exit } from './spawn.ts';

/** How long each stage of the stop may take. The defaults add up to less than five seconds. */
export interface StopDeadlines {
  /** From the end of stdin to TERM. */
  readonly eofMs: number;
  /** From TERM to KILL. */
  readonly termMs: number;
  /** From KILL until we stop waiting: we cannot end processes that are still alive then. */
  readonly killMs: number;
}

export const defaultDeadlines: StopDeadlines = { eofMs: 1_000, termMs: 1_000, killMs: 2_000 };

export interface StopResult {
  /** The reason of the first caller; `exited` if the process exited by itself. */
  readonly reason: string;
  /** The last stage that was needed. */
  readonly stage: 'none' | 'eof' | 'term' | 'kill';
  /** Pids that could not be ended, for example those of another user. Normally empty. */
  readonly survivors: readonly number[];
}

export interface StopTarget {
  readonly exit: Exit;
  readonly tree: ProcessTree;
  endStdin(): void;
}

const FIRST_DELAY_MS = 5;
const MAX_DELAY_MS = 80;

/** Returns a function that stops the tree once: later calls return the same result. It never rejects. */
export function createStopper(target: StopTarget, deadlines: StopDeadlines): (reason: string) => Promise<StopResult> {
  let result: Promise<StopResult> | undefined;
  return (reason) => {
    result ??= escalate(target, deadlines).then((end) => ({ reason, ...end }));
    return result;
  };
}

async function escalate(target: StopTarget, deadlines: StopDeadlines): Promise<Omit<StopResult, 'reason'>> {
  const { exit, tree } = target;
  const stage = exit.hasExited() ? 'none' : 'eof';
  target.endStdin();
  await waitForExit(exit, deadlines.eofMs);
  // Nobody reads the output of descendants once the leader has exited, so survivors get TERM without further waiting.
  if (await isGone(target)) return { stage, survivors: [] };

  await tree.signal('SIGTERM');
  if (await waitUntilGone(target, deadlines.termMs)) return { stage: 'term', survivors: [] };

  const again = (): Promise<void> => tree.signal('SIGKILL');
  if (await waitUntilGone(target, deadlines.killMs, again)) return { stage: 'kill', survivors: [] };
  return { stage: 'kill', survivors: await tree.livingPids().catch(() => [tree.leader.pid]) };
}

/** Polls until the tree is gone. `before` runs before each check: KILL is repeated, because a process may fork. */
async function waitUntilGone(target: StopTarget, ms: number, before = async (): Promise<void> => {}): Promise<boolean> {
  const end = performance.now() + ms;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    await before();
    if (await isGone(target)) return true;
    if (performance.now() >= end) return false;
    await (target.exit.hasExited() ? delay(delayMs) : waitForExit(target.exit, delayMs));
  }
}

/** Requires two empty scans: during one, a parent can fork a child behind the scan position and exit unseen. */
async function isGone({ exit, tree }: StopTarget): Promise<boolean> {
  if (!exit.hasExited()) return false;
  try {
    return (await tree.livingPids()).length === 0 && (await tree.livingPids()).length === 0;
  } catch {
    // The scan failed: unknown counts as alive.
    return false;
  }
}

function waitForExit(exit: Exit, ms: number): Promise<void> {
  if (exit.hasExited()) return Promise.resolve();
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    void exit.promise.then(() => {
      clearTimeout(timer);
      resolve();
    });
  });
}
