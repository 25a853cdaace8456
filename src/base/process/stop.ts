import { setTimeout as delay } from 'node:timers/promises';
import type { ProcessTree } from './process-tree.ts';
import type { Exit } from './spawn.ts';

/** How long each rung of the ladder may take. Together they stay well below five seconds. */
export interface StopDeadlines {
  /** From the end of stdin to TERM. */
  readonly eofMs: number;
  /** From TERM to KILL. */
  readonly termMs: number;
  /** From KILL until we no longer wait: what is left cannot be ended by us. */
  readonly killMs: number;
}

export const defaultDeadlines: StopDeadlines = { eofMs: 1_000, termMs: 1_000, killMs: 2_000 };

export interface StopResult {
  /** Of the first who asked. `exited`: nobody did, the process ended by itself. */
  readonly reason: string;
  /** The last rung that was needed. */
  readonly stage: 'none' | 'eof' | 'term' | 'kill';
  /** Ids of those who could not be ended, of another user for example. Normally empty. */
  readonly survivors: readonly number[];
}

export interface StopTarget {
  readonly exit: Exit;
  readonly tree: ProcessTree;
  endStdin(): void;
}

const FIRST_DELAY_MS = 5;
const MAX_DELAY_MS = 80;

/** The returned function ends the family, once: whoever calls again gets the same result. It never rejects. */
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
  // Once the leader is gone nobody reads what its family has to say: survivors get TERM without further waiting.
  if (await isGone(target)) return { stage, survivors: [] };

  await tree.signal('SIGTERM');
  if (await waitUntilGone(target, deadlines.termMs)) return { stage: 'term', survivors: [] };

  const again = (): Promise<void> => tree.signal('SIGKILL');
  if (await waitUntilGone(target, deadlines.killMs, again)) return { stage: 'kill', survivors: [] };
  return { stage: 'kill', survivors: await tree.livingPids().catch(() => [tree.leader.pid]) };
}

/** `before` runs ahead of each look: KILL is repeated, because a process may be born while we count. */
async function waitUntilGone(target: StopTarget, ms: number, before = async (): Promise<void> => {}): Promise<boolean> {
  const end = performance.now() + ms;
  for (let delayMs = FIRST_DELAY_MS; ; delayMs = Math.min(2 * delayMs, MAX_DELAY_MS)) {
    await before();
    if (await isGone(target)) return true;
    if (performance.now() >= end) return false;
    await (target.exit.hasExited() ? delay(delayMs) : waitForExit(target.exit, delayMs));
  }
}

/** Two empty looks: during one, a parent that is not yet seen can hand over to a process that is no longer seen. */
async function isGone({ exit, tree }: StopTarget): Promise<boolean> {
  if (!exit.hasExited()) return false;
  try {
    return (await tree.livingPids()).length === 0 && (await tree.livingPids()).length === 0;
  } catch {
    // Nobody could be looked up: unknown counts as alive.
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
