import { oneLine } from '../../base/text/safe-text.ts';
import { waitUntil } from '../../base/wait-until.ts';
import type { ToolContext } from '../../serve/context.ts';
import { createCallPrompter, createElicitationPrompter } from '../approvals/prompter.ts';
import type { ServerContext } from '../server-context.ts';
import type { Session, WaitingCall } from './session.ts';

export interface WaitOptions {
  readonly sessions: readonly Session[];
  readonly isOver: () => boolean;
  readonly seconds: number;
  readonly context: Pick<ToolContext, 'signal' | 'progress' | 'client' | 'elicit' | 'requestId'>;
  readonly serverContext: Pick<ServerContext, 'maxWaitMs' | 'sessions'>;
}

/** The longest time without progress. Clients restart their request timeout at every progress notification. */
const HEARTBEAT_MS = 8_000;
/** The shortest time between two progress notifications. */
const MIN_PROGRESS_INTERVAL_MS = 1_000;
const MAX_MESSAGE = 200;
/** Slightly longer than the time a person has to respond. */
const MAX_PROMPT_MS = 130_000;

/**
 * Waits for sessions and reports progress. Returns when `isOver()` is true or shortly before the client's own timeout,
 * whichever comes first. Rejects when the call is cancelled.
 */
export async function waitForSessions({
  sessions,
  isOver,
  seconds,
  context,
  serverContext,
}: WaitOptions): Promise<void> {
  const timeoutMs = Math.min(seconds * 1000, serverContext.maxWaitMs(context.client));
  if (timeoutMs <= 0) return context.signal.throwIfAborted();
  // A client that has disconnected cannot read the result: stop waiting for it as well.
  const signal = AbortSignal.any([context.signal, context.client.left]);
  const ended = new AbortController();
  const changes = mergeChanges(sessions);
  const call = toWaitingCall(context, ended.signal);
  if (call !== undefined) for (const session of sessions) attachCall(session, call, serverContext);
  const stopProgress = isOver() ? () => {} : reportProgress(sessions, changes, context);
  try {
    const isDone = await waitUntil(changes, isOver, { timeoutMs, signal });
    // While a person is prompted through a modern call, the client's request is not pending and its timeout does not run.
    const isPrompting = () =>
      sessions.some(
        (session) =>
          session.isPrompted(context.client) && session.pendingApprovals.some(({ isPrompting }) => isPrompting),
      );
    if (!isDone && !context.client.canBeAsked)
      await waitUntil(changes, () => isOver() || !isPrompting(), { timeoutMs: MAX_PROMPT_MS, signal });
  } finally {
    ended.abort();
    if (call !== undefined) for (const session of sessions) session.waitingCalls.delete(call);
    stopProgress();
  }
}

type WaitContext = WaitOptions['context'];

/** Returns undefined for a client that can be asked at any time: it needs no call. */
function toWaitingCall({ client, elicit, requestId }: WaitContext, endSignal: AbortSignal): WaitingCall | undefined {
  if (client.canBeAsked && client.reach === 'always') return undefined;
  if (!client.canBeAsked) return { client, prompter: createCallPrompter(untilEnd(elicit, endSignal)) };
  // The prompt may outlive the call. Then the client still answers it.
  const prompter = createElicitationPrompter((params, options) =>
    client.ask(params, { ...options, relatedRequestId: requestId }),
  );
  return { client, prompter };
}

function attachCall(session: Session, call: WaitingCall, { sessions }: Pick<ServerContext, 'sessions'>): void {
  session.waitingCalls.add(call);
  if (session.pendingApprovals.length > 0 && session.isPrompted(call.client))
    sessions.promptThrough(session, call.prompter);
}

/** Cancels its elicitations when the signal aborts. */
function untilEnd(elicit: ToolContext['elicit'], endSignal: AbortSignal): ToolContext['elicit'] {
  return (request, options = {}) => {
    const { signal = endSignal } = options;
    return elicit(request, { ...options, signal: AbortSignal.any([signal, endSignal]) });
  };
}

/** Returns whether a session is over, or waits for a response for which no prompt is open. */
export function needsAttention({ isRunning, queue, pendingApprovals }: Session): boolean {
  const isOver = !isRunning && queue.length === 0;
  return isOver || pendingApprovals.some(({ isPrompting }) => !isPrompting);
}

/** Describes the current activity in one line. */
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
  return `${oneLine(describeActivity(session), MAX_MESSAGE - rest.length)}${rest}`;
}

function describeActivity({ pendingApprovals, turn, isRunning, status }: Session): string {
  const [approval] = pendingApprovals;
  if (approval !== undefined) return `waiting for an answer: ${approval.request.questions[0]?.question ?? ''}`;
  if (!isRunning) return status;
  if (turn?.retrying !== undefined) return `retrying: ${turn.retrying}`;
  const item = turn?.current();
  if (item === undefined) return 'thinking';
  return item.type === 'command_execution' ? `running: ${item.summary}` : `${item.type}: ${item.summary}`;
}

function mergeChanges(sessions: readonly Session[]) {
  return {
    onChange(listener: () => void) {
      const ends = sessions.map((session) => session.onChange(listener));
      return () => {
        for (const end of ends) end();
      };
    },
  };
}

function reportProgress(
  sessions: readonly Session[],
  changes: ReturnType<typeof mergeChanges>,
  { progress }: Pick<ToolContext, 'progress'>,
): () => void {
  let count = 0;
  let reportedAt = 0;
  let scheduled: NodeJS.Timeout | undefined;
  const report = () => {
    clearTimeout(scheduled);
    scheduled = undefined;
    reportedAt = performance.now();
    progress({ progress: ++count, message: oneLine(summarizeProgress(sessions), MAX_MESSAGE) });
  };
  const stopListening = changes.onChange(() => {
    // Changes within the pause share one report at its end.
    scheduled ??= setTimeout(report, Math.max(0, reportedAt + MIN_PROGRESS_INTERVAL_MS - performance.now()));
  });
  const heartbeat = setInterval(report, HEARTBEAT_MS);
  report();
  return () => {
    stopListening();
    clearTimeout(scheduled);
    clearInterval(heartbeat);
  };
}

function summarizeProgress(sessions: readonly Session[]): string {
  const [only] = sessions;
  if (sessions.length === 1 && only !== undefined) return progressText(only);
  const running = sessions.filter(({ isRunning }) => isRunning);
  const [latest] = running;
  const counts = `${sessions.length - running.length} of ${sessions.length} sessions done`;
  return latest === undefined ? counts : `${counts} · ${progressText(latest)}`;
}
