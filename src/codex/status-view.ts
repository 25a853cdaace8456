import { oneLine } from '../base/text.ts';
import { cutJson } from './cut.ts';
import { questionsOf } from './question-view.ts';
import { recentTexts } from './recent-texts.ts';
import type { Session } from './session.ts';
import type { SessionEvent } from './session-events.ts';
import type { Turn } from './turn.ts';
import type { Item, TurnFailure, Usage } from './words.ts';

export interface StatusQuery {
  /** How many agent messages at most. */
  readonly outputLines: number;
  /** Only what came after it. */
  readonly cursor?: string | undefined;
}

/** Everything that `codex_status` tells. Bounded: what is cut is said, and the resources have the whole. */
export function toStatusView(session: Session, { outputLines, cursor }: StatusQuery) {
  const { turn, failure } = session;
  const slice = session.events.since(cursor);
  const messages = messagesOf(slice.events);
  const outputs = recentTexts(messages, { count: outputLines, maxChars: MAX_OUTPUT_CHARS });
  // Whoever asks for what is new will not come back for what is left out of it.
  const hasMissed = cursor !== undefined && messages.length > outputLines;
  const items = cursor === undefined ? (turn?.items() ?? []) : latestOf(slice.events, turn);
  const result = session.status === 'done' ? turn?.lastMessage : undefined;
  const shownResult = result === undefined ? undefined : cutJson(result, MAX_RESULT_CHARS);
  const files = turn?.files() ?? [];
  const isLong = items.length > MAX_ITEMS || files.length > MAX_FILES;
  const questions = questionsOf(session);
  const isCut =
    questions.pendingQuestion?.truncated === true || outputs.isCut || hasMissed || isLong || shownResult !== result;
  return withoutUndefined({
    sessionId: session.id,
    status: session.status,
    result: shownResult,
    error: failure === undefined ? undefined : toError(failure),
    recentOutput: outputs.texts,
    ...questions,
    itemEvents: items.slice(-MAX_ITEMS).map(toItemEvent),
    plan:
      turn === undefined || turn.plan.length === 0
        ? undefined
        : turn.plan.slice(0, MAX_PLAN).map(({ step, status }) => ({ step: line(step), status })),
    filesChanged: files.slice(0, MAX_FILES).map(({ path, kind }) => ({ path: cutJson(path, MAX_LINE), kind })),
    retrying: turn?.retrying === undefined ? undefined : line(turn.retrying),
    usage: session.usage && toUsage(session.usage),
    turnUsage: turn?.usage && toUsage(turn.usage),
    contextWindow: session.contextWindow,
    turnCount: session.turnCount,
    turnSeconds: turn === undefined ? undefined : Math.round(((turn.endedAt ?? Date.now()) - turn.startedAt) / 1000),
    queuedMessages: session.queue.length === 0 ? undefined : session.queue.length,
    ...settingsOf(session),
    warnings: session.warnings.length === 0 ? undefined : session.warnings.slice(-MAX_WARNINGS).map(line),
    cursor: session.events.cursor(),
    missedEvents: slice.isIncomplete ? true : undefined,
    truncated: isCut ? true : undefined,
  });
}

/** Together well below what clients show a model of one result: 80 000 characters of JSON at the very most. */
export const MAX_RESULT_CHARS = 24_000;
export const MAX_OUTPUT_CHARS = 16_000;
const MAX_ERROR_CHARS = 4_000;
const MAX_ITEMS = 40;
const MAX_FILES = 50;
const MAX_PLAN = 30;
const MAX_WARNINGS = 10;
const MAX_LINE = 200;

function messagesOf(events: readonly SessionEvent[]): readonly string[] {
  return events
    .filter(({ item }) => item.type === 'agent_message' && item.status === 'completed')
    .map(({ item }) => item.text ?? '');
}

/** Each item once, as it was last. */
function latestOf(events: readonly SessionEvent[], turn: Turn | undefined): readonly Item[] {
  const latest = [...new Map(events.map((event) => [event.item.id, event])).values()];
  return latest.filter(({ turnId, item }) => turn?.is(turnId) !== true || !turn.hasLeft(item)).map(({ item }) => item);
}

function line(text: string): string {
  return cutJson(oneLine(text), MAX_LINE);
}

function toItemEvent({ type, status, summary }: Item) {
  return summary === ''
    ? { itemType: type, status }
    : { itemType: type, status, summary: cutJson(summary, 2 * MAX_LINE) };
}

export function toError({ kind, message, httpStatus, resetsAt }: TurnFailure) {
  return withoutUndefined({
    kind,
    message: cutJson(message, MAX_ERROR_CHARS),
    httpStatus,
    resetsAt,
    hint: HINTS[kind],
  });
}

const HINTS: Readonly<Partial<Record<TurnFailure['kind'], string>>> = {
  auth: 'Codex is not signed in, or its key is refused: run codex login, or check the key of its model provider.',
  context_window: 'Start a new session, or fork this one at an earlier turn.',
  engine: 'codex_say continues the session.',
  usage_limit: 'Wait until the limit is lifted, or use another account.',
};

function toUsage({ inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens }: Usage) {
  return { inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens };
}

function settingsOf({ opened }: Session) {
  const { cwd, model, approvalPolicy, sandbox, forkedFrom } = opened;
  return { workingDirectory: cwd === '' ? undefined : cwd, model, approvalPolicy, sandbox, forkedFrom };
}

function withoutUndefined<Members extends object>(members: Members): Members {
  // Only members that are undefined go: the type, in which they are optional anyway, stays true.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members;
}
