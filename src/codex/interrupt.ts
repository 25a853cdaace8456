import { messageOf } from '../base/errors.ts';
import type { Approvals } from './approvals.ts';
import type { Engine } from './engine.ts';
import type { Session } from './session.ts';
import { until } from './until.ts';

export interface Interrupted {
  readonly session: Session;
  /** Whether there was a turn to be ended. */
  readonly wasRunning: boolean;
  readonly droppedMessages: number;
}

export interface InterruptTools {
  readonly engine: Engine;
  readonly approvals: Pick<Approvals, 'cancelAll'>;
  readonly log: { warn(text: string): void };
}

/** A turn has so long to end, and its commands a little more: five seconds in all. */
const END_TURN_MS = 3_500;
const END_COMMANDS_MS = 1_000;

/** Ends the running turn of a session, what it asked for and the commands that it started. */
export async function interrupt(session: Session, tools: InterruptTools): Promise<Interrupted> {
  const { engine, approvals, log } = tools;
  const wasRunning = session.isRunning;
  const droppedMessages = session.queue.length;
  session.queue.length = 0;
  if (wasRunning) await endTurn(session, engine);
  approvals.cancelAll(session);
  const stopped = engine.stopCommands(session.id).catch((error) => log.warn(messageOf(error)));
  await Promise.race([stopped, pause(END_COMMANDS_MS)]);
  return { session, wasRunning, droppedMessages };
}

/** Whatever it waits for is refused after it has ended: an answer before would let it go on for a moment. */
async function endTurn(session: Session, engine: Engine): Promise<void> {
  const limits = { timeoutMs: END_TURN_MS };
  const over = until(session, () => !session.isRunning, limits);
  const done = new AbortController();
  session.abandonStart();
  // Whether it was heard is told by the end of the turn, and by nothing else.
  void askToEnd().catch(() => undefined);
  await over;
  done.abort();
  // Codex does not react: whatever it still does, it no longer does for us.
  session.endTurn({ status: 'interrupted' });

  /** A turn that is just starting is ended as soon as it has begun. */
  async function askToEnd(): Promise<void> {
    await until(session, () => session.turn?.id !== undefined || !session.isRunning, limits);
    const turnId = session.turn?.id;
    if (session.isRunning && turnId !== undefined)
      await engine.interrupt({ sessionId: session.id, turnId }, done.signal);
  }
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms).unref());
}
