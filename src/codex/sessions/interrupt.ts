import { messageOf } from '../../base/errors.ts';
import type { Approvals } from '../approvals/approvals.ts';
import type { Engine } from '../engine.ts';
import { waitUntil } from '../until.ts';
import type { Session } from './session.ts';

export interface InterruptResult {
  readonly session: Session;
  /** Whether there was a turn to be ended. */
  readonly wasRunning: boolean;
  readonly droppedMessages: number;
  /** What is not as a caller expects: something that may still run, or more than this session that was ended. */
  readonly notes: readonly string[];
}

export interface InterruptDependencies {
  readonly engine: Engine;
  readonly approvals: Pick<Approvals, 'cancelAll'>;
  /** The other sessions that have a running turn. */
  readonly others: () => readonly Session[];
  readonly log: { warn(text: string): void };
}

/** How long the caller waits for the turn and its commands to end, together. */
const INTERRUPT_TIMEOUT_MS = 5_000;
const END_TURN_MS = 3_500;
/** Commands have the time that the turn has left of the whole, and at least this. */
const MIN_END_COMMANDS_MS = 1_000;
/** A Codex that does not end the turn is asked for any answer: it has the rest of the time for that. */
const PROBE_AFTER_MS = 1_000;

const PROBE_TIMEOUT_MS = END_TURN_MS - PROBE_AFTER_MS;

/** Ends the running turn of a session, what it asked for and the commands that it started. */
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

/** Whatever it waits for is refused after it has ended: an answer before would let it go on for a moment. */
async function endTurn(session: Session, { engine, others }: InterruptDependencies): Promise<readonly string[]> {
  const { turn } = session;
  const isOver = () => !session.isRunning || session.turn !== turn;
  const done = new AbortController();
  const otherSessions = others();
  session.isInterrupting = true;
  session.cancelStart();
  // Whether it was heard is told by the end of the turn, and by nothing else.
  void requestInterrupt().catch(() => undefined);
  try {
    if (await waitUntil(session, isOver, { timeoutMs: PROBE_AFTER_MS })) return [];
    // Whoever asks twice wants it ended in any case.
    const wasStuck = turn !== undefined && session.stuckTurn === turn;
    const ending = engine.killIfUnresponsive(wasStuck ? 0 : PROBE_TIMEOUT_MS);
    const [wasKilled] = await Promise.all([ending, waitUntil(session, isOver, { timeoutMs: PROBE_TIMEOUT_MS })]);
    if (wasKilled) return describeKill(session, otherSessions);
    if (isOver()) return [];
    // It has not begun: as soon as it does, it is ended.
    if (turn?.id === undefined) session.endTurn({ status: 'interrupted' });
    if (isOver()) return [];
    session.stuckTurn = turn;
    return [STUCK_NOTE];
  } finally {
    done.abort();
    session.isInterrupting = false;
  }

  /** A turn that is just starting is ended as soon as it has begun. */
  async function requestInterrupt(): Promise<void> {
    await waitUntil(session, () => session.turn?.id !== undefined || !session.isRunning, { timeoutMs: END_TURN_MS });
    const turnId = session.turn?.id;
    if (session.isRunning && turnId !== undefined)
      await engine.interrupt({ sessionId: session.id, turnId }, done.signal);
  }
}

const STUCK_NOTE = `Codex was asked to end the turn and has not done so within ${END_TURN_MS / 1000} s: the turn may still run. Interrupt it again to kill Codex itself, which ends all sessions.`;

/** The news that Codex fell has ended the turn, unless Codex never knew of it. */
function describeKill(session: Session, otherSessions: readonly Session[]): readonly string[] {
  session.endTurn({ status: 'interrupted' });
  const endedIds = otherSessions.filter(({ isRunning }) => !isRunning).map(({ id }) => id);
  const rest = endedIds.length === 0 ? '' : ` The turns of these sessions ended with it: ${endedIds.join(', ')}.`;
  return [
    `Codex did not react and was killed: the turn has stopped, and so has every command that Codex had started.${rest}`,
  ];
}

async function endCommands(
  session: Session,
  { engine, log }: InterruptDependencies,
  timeoutMs: number,
): Promise<readonly string[]> {
  const seconds = Math.round(timeoutMs / 100) / 10;
  const timedOut = pause(timeoutMs).then(() => `Codex has not confirmed it within ${seconds} s`);
  const stopped = engine.stopCommands(session.id).then(() => undefined, messageOf);
  const problem = await Promise.race([stopped, timedOut]);
  if (problem === undefined) {
    session.markCommandsEnded();
    return [];
  }
  log.warn(problem);
  return [`Commands of the session may still run: ${problem}.`];
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
