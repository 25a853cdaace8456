import { oneLine } from '../../base/text/safe-text.ts';
import type { ToolContext } from '../../serve/context.ts';
import { isObject } from '../../wire/messages.ts';
import { type Asker, createAsker } from '../approvals/prompter.ts';
import type { Workplace } from '../server-context.ts';
import { until } from '../until.ts';
import type { Session } from './session.ts';

export interface WaitOptions {
  readonly sessions: readonly Session[];
  readonly isOver: () => boolean;
  readonly seconds: number;
  readonly context: Pick<ToolContext, 'signal' | 'progress' | 'client' | 'elicit'>;
  readonly workplace: Pick<Workplace, 'maxWaitMs' | 'sessions'>;
}

/** At least so often a client hears that the call is alive; clients count from the last word. */
const HEARTBEAT_MS = 8_000;
/** And not more often than this, however much happens. */
const MIN_PAUSE_MS = 1_000;
const MAX_MESSAGE = 200;
/** A little more than a person has to answer. */
const MAX_ASKING_MS = 130_000;

/**
 * Waits for sessions, with signs of life on the way. Ends when it is over, or in time for the client's own limit,
 * whichever comes first; rejects when the call is cancelled.
 */
export async function waitFor({ sessions, isOver, seconds, context, workplace }: WaitOptions): Promise<void> {
  const timeoutMs = Math.min(seconds * 1000, workplace.maxWaitMs(context.client));
  if (timeoutMs <= 0) return context.signal.throwIfAborted();
  // Nobody is left who could read the answer: a client that leaves is not waited for either.
  const signal = AbortSignal.any([context.signal, context.client.left]);
  const over = new AbortController();
  const changing = together(sessions);
  const asker = callAsker(context, over.signal);
  const look = () => {
    if (asker === undefined) return;
    for (const session of sessions) if (session.questions.length > 0) workplace.sessions.askThrough(session, asker);
  };
  const stopLooking = changing.onChange(look);
  look();
  const stopTelling = isOver() ? () => {} : tellProgress(sessions, changing, context);
  try {
    const happened = await until(changing, isOver, { timeoutMs, signal });
    // While a person is being asked through this call, no request of the client is open, and no limit of its own counts.
    const isAsking = () => sessions.some(({ questions }) => questions.some(({ isBeingAsked }) => isBeingAsked));
    if (!happened && asker !== undefined)
      await until(changing, () => isOver() || !isAsking(), { timeoutMs: MAX_ASKING_MS, signal });
  } finally {
    over.abort();
    stopLooking();
    stopTelling();
  }
}

/** A client that cannot be asked at any time may be asked within its own call. */
function callAsker({ client, elicit }: WaitOptions['context'], over: AbortSignal): Asker | undefined {
  if (client.canBeAsked) return undefined;
  return createAsker(({ message, requestedSchema }, { timeoutMs, signal }) =>
    elicit(
      { message: String(message), schema: isObject(requestedSchema) ? requestedSchema : {} },
      { timeoutMs, signal: AbortSignal.any([signal, over]) },
    ),
  );
}

/** Somebody has to look at it: it is over, or it waits for an answer that nobody is being asked for. */
export function needsAttention({ isRunning, queue, questions }: Session): boolean {
  const isOver = !isRunning && queue.length === 0;
  return isOver || questions.some(({ isBeingAsked }) => !isBeingAsked);
}

/** What is going on, in one line. */
export function progressText(session: Session): string {
  const { turn } = session;
  if (turn === undefined) return session.status;
  const seconds = Math.round((Date.now() - turn.startedAt) / 1000);
  const files = turn.files().length;
  const tokens = session.usage === undefined ? 0 : session.usage.inputTokens + session.usage.outputTokens;
  const facts = [
    files === 0 ? undefined : `${files} ${files === 1 ? 'file' : 'files'} changed`,
    tokens === 0 ? undefined : `${tokens < 10_000 ? tokens : `${Math.round(tokens / 1000)} k`} tokens`,
  ].filter((fact) => fact !== undefined);
  const rest = ` (${seconds} s)${facts.map((fact) => ` · ${fact}`).join('')}`;
  return `${oneLine(doing(session), MAX_MESSAGE - rest.length)}${rest}`;
}

function doing({ questions, turn, isRunning, status }: Session): string {
  const [question] = questions;
  if (question !== undefined) return `waiting for an answer: ${question.question.parts[0]?.question ?? ''}`;
  if (!isRunning) return status;
  if (turn?.retrying !== undefined) return `retrying: ${turn.retrying}`;
  const item = turn?.current();
  if (item === undefined) return 'thinking';
  return item.type === 'command_execution' ? `running: ${item.summary}` : `${item.type}: ${item.summary}`;
}

function together(sessions: readonly Session[]) {
  return {
    onChange(listener: () => void) {
      const ends = sessions.map((session) => session.onChange(listener));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function tellProgress(
  sessions: readonly Session[],
  changing: ReturnType<typeof together>,
  { progress }: Pick<ToolContext, 'progress'>,
): () => void {
  let count = 0;
  let toldAt = 0;
  let later: NodeJS.Timeout | undefined;
  const tell = () => {
    clearTimeout(later);
    later = undefined;
    toldAt = performance.now();
    progress({ progress: ++count, message: oneLine(summary(sessions), MAX_MESSAGE) });
  };
  const stopListening = changing.onChange(() => {
    // What comes too soon is told when the pause is over, however much comes.
    later ??= setTimeout(tell, Math.max(0, toldAt + MIN_PAUSE_MS - performance.now()));
  });
  const heartbeat = setInterval(tell, HEARTBEAT_MS);
  tell();
  return () => {
    stopListening();
    clearTimeout(later);
    clearInterval(heartbeat);
  };
}

function summary(sessions: readonly Session[]): string {
  const [only] = sessions;
  if (sessions.length === 1 && only !== undefined) return progressText(only);
  const running = sessions.filter(({ isRunning }) => isRunning);
  const [latest] = running;
  const counts = `${sessions.length - running.length} of ${sessions.length} sessions over`;
  return latest === undefined ? counts : `${counts} · ${progressText(latest)}`;
}
