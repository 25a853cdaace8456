import { messageOf } from '../../base/errors.ts';
import { waitUntil } from '../../base/wait-until.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Engine } from '../engine.ts';
import type { Session } from './session.ts';

export interface InterruptResult {
  readonly session: Session;
  /** Whether a turn was running. */
  readonly wasRunning: boolean;
  readonly droppedMessages: number;
  /** Deviations from what a caller expects: commands that may still run, or other sessions that ended as well. */
  readonly notes: readonly string[];
}

export interface InterruptDependencies {
  readonly engine: Engine;
  readonly approvals: Pick<Approvals, 'cancelAll'>;
  /** The other sessions that have a running turn. */
  readonly others: () => readonly Session[];
  readonly log: { warn(text: string): void };
}

/** How long the caller waits for the turn and its commands to end, in total. */
const INTERRUPT_TIMEOUT_MS = 5_000;
const END_TURN_MS = 3_500;
/** Stopping the commands gets the time that ending the turn left over, and at least this. */
const MIN_END_COMMANDS_MS = 1_000;
/** If Codex has not ended the turn by then, it must respond to a probe within the remaining time. */
const PROBE_AFTER_MS = 1_000;

const PROBE_TIMEOUT_MS = END_TURN_MS - PROBE_AFTER_MS;

/** Ends the running turn of a session, its pending approvals and the commands that it started. */
export async function interrupt(session: Session, dependencies: InterruptDependencies): Promise<InterruptResult> {
  const startedAt = performance.now();
  const wasRunning = session.isRunning;
  const droppedMessages = session.queue.length;
  session.queue.length = 0;
  const notes = wasRunning ? await endTurn(session, dependencies) : [];
  dependencies.approvals.cancelAll(session);
  const leftMs = Math.max(MIN_END_COMMANDS_MS, INTERRUPT_TIMEOUT_MS - (performance.now() - startedAt));
  return {
    session,
    wasRunning,
    droppedMessages,
    notes: [...notes, ...(await endCommands(session, dependencies, leftMs))],
  };
}

/** Ends the turn before its approvals are refused: a response before that would let the turn continue for a moment. */
async function endTurn(session: Session, { engine, others }: InterruptDependencies): Promise<readonly string[]> {
  const { turn } = session;
  const isOver = () => !session.isRunning || session.turn !== turn;
  const done = new AbortController();
  const otherSessions = others();
  session.isInterrupting = true;
  session.cancelStart();
  // The response does not matter: only the end of the turn shows that the interrupt worked.
  void requestInterrupt().catch(() => undefined);
  try {
    if (await waitUntil(session, isOver, { timeoutMs: PROBE_AFTER_MS })) return [];
    // A second interrupt of the same turn ends it in any case.
    const wasStuck = turn !== undefined && session.stuckTurn === turn;
    const ending = engine.killIfUnresponsive(wasStuck ? 0 : PROBE_TIMEOUT_MS);
    const [wasKilled] = await Promise.all([ending, waitUntil(session, isOver, { timeoutMs: PROBE_TIMEOUT_MS })]);
    if (wasKilled) return describeKill(session, otherSessions);
    if (isOver()) return [];
    // The turn has not begun. `Sessions` interrupts it if it begins later.
    if (turn?.id === undefined) session.endTurn({ status: 'interrupted' });
    if (isOver()) return [];
    session.stuckTurn = turn;
    return [STUCK_NOTE];
  } finally {
    done.abort();
    session.isInterrupting = false;
  }

  /** Waits for the id of a turn that is just starting, then interrupts it. */
  async function requestInterrupt(): Promise<void> {
    await waitUntil(session, () => session.turn?.id !== undefined || !session.isRunning, { timeoutMs: END_TURN_MS });
    const turnId = session.turn?.id;
    if (session.isRunning && turnId !== undefined)
      await engine.interrupt({ sessionId: session.id, turnId }, done.signal);
  }
}

const STUCK_NOTE = `Codex was asked to end the turn but has not done so within ${END_TURN_MS / 1000} s: the turn may still be running. Interrupt it again to kill Codex itself, which ends all sessions.`;

/** Reports the kill. The crash notification has already ended the turn, unless the turn never reached Codex. */
function describeKill(session: Session, otherSessions: readonly Session[]): readonly string[] {
  session.endTurn({ status: 'interrupted' });
  const endedIds = otherSessions.filter(({ isRunning }) => !isRunning).map(({ id }) => id);
  const rest = endedIds.length === 0 ? '' : ` The turns of these sessions ended with it: ${endedIds.join(', ')}.`;
  return [
    `Codex did not respond and was killed: the turn has stopped, and so has every command that Codex had started.${rest}`,
  ];
}

async function endCommands(
  session: Session,
  { engine, log }: InterruptDependencies,
  timeoutMs: number,
): Promise<readonly string[]> {
  const seconds = Math.round(timeoutMs / 100) / 10;
  const timedOut = pause(timeoutMs).then(() => `Codex did not confirm that they ended within ${seconds} s`);
  const stopped = engine.stopCommands(session.id).then(() => undefined, messageOf);
  const problem = await Promise.race([stopped, timedOut]);
  if (problem === undefined) {
    session.markCommandsEnded();
    return [];
  }
  log.warn(problem);
  return [`Commands of the session may still be running: ${problem}.`];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
