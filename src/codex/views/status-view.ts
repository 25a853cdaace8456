import { omitUndefined } from '../../base/omit-undefined.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import type { Item, TurnFailure, Usage } from '../item-types.ts';
import type { SessionEvent } from '../sessions/event-buffer.ts';
import type { Session } from '../sessions/session.ts';
import type { Turn } from '../sessions/turn.ts';
import { type PageQuery, toPage } from '../text/pages.ts';
import { takeRecentTexts } from '../text/recent-texts.ts';
import { truncateJson, truncateStartJson } from '../text/truncate.ts';
import { viewPendingApprovals } from './approval-view.ts';

export interface StatusQuery {
  /** How many agent messages at most. */
  readonly outputLines: number;
  /** Returns only what is newer than this cursor. */
  readonly cursor?: string | undefined;
}

/**
 * Returns everything that `codex_status` reports, each text once: the final message is only in `result`. The size is
 * limited; cursors and resources lead to truncated parts.
 */
export function toStatusView(session: Session, { outputLines, cursor }: StatusQuery) {
  const { turn, failure } = session;
  const slice = session.events.since(cursor);
  const result = finalMessage(session);
  const messages = withoutFinalMessage(messagesOf(slice.events), result);
  const outputs = takeRecentTexts(messages, { count: outputLines, maxChars: MAX_OUTPUT_CHARS });
  // A caller with a cursor will not ask for the omitted messages again.
  const hasMissed = cursor !== undefined && messages.length > outputLines;
  const items =
    cursor === undefined ? [...session.leftoverCommands(), ...(turn?.items() ?? [])] : latestItems(slice.events, turn);
  const files = turn?.files() ?? [];
  const isLong = items.length > MAX_ITEMS || files.length > MAX_FILES;
  const approvals = viewPendingApprovals(session);
  const page = toResultPage(result);
  const isCut =
    approvals.pendingQuestion?.truncated === true ||
    outputs.isCut ||
    hasMissed ||
    isLong ||
    page.resultCursor !== undefined;
  return omitUndefined({
    sessionId: session.id,
    status: session.status,
    ...page,
    error: failure === undefined ? undefined : toErrorView(failure),
    recentOutput: outputs.texts,
    ...approvals,
    itemEvents: items.slice(-MAX_ITEMS).map(toItemEvent),
    plan:
      turn === undefined || turn.plan.length === 0
        ? undefined
        : turn.plan.slice(0, MAX_PLAN).map(({ step, status }) => ({ step: toLine(step), status })),
    filesChanged: files.slice(0, MAX_FILES).map(({ path, kind }) => ({ path: truncateJson(path, MAX_LINE), kind })),
    retrying: turn?.retrying === undefined ? undefined : toLine(turn.retrying),
    usage: session.usage && toUsage(session.usage),
    turnUsage: turn?.usage && toUsage(turn.usage),
    contextWindow: session.contextWindow,
    turnCount: session.turnCount,
    turnSeconds: turn === undefined ? undefined : Math.round(((turn.endedAt ?? Date.now()) - turn.startedAt) / 1000),
    queuedMessages: session.queue.length === 0 ? undefined : session.queue.length,
    ...settingsOf(session),
    warnings: session.warnings.length === 0 ? undefined : session.warnings.slice(-MAX_WARNINGS).map(toLine),
    cursor: session.events.cursor(),
    missedEvents: slice.isIncomplete ? true : undefined,
    truncated: isCut ? true : undefined,
  });
}

/** Limits that keep a result below 80 000 characters of JSON, well within what clients show a model. */
const MAX_RESULT_CHARS = 24_000;
export const MAX_OUTPUT_CHARS = 16_000;
const MAX_ERROR_CHARS = 4_000;
const MAX_ITEMS = 40;
const MAX_FILES = 50;
const MAX_PLAN = 30;
const MAX_WARNINGS = 10;
const MAX_LINE = 200;
const MAX_TAIL = 800;

/** Returns the final message of a completed turn. */
export function finalMessage({ status, turn }: Session): string | undefined {
  return status === 'done' ? turn?.lastMessage : undefined;
}

/** Returns the first page of a final message, or the page for a cursor. */
export function toResultPage(
  answer: string | undefined,
  { cursor, maxChars = MAX_RESULT_CHARS }: Partial<PageQuery> = {},
): { readonly result?: string; readonly resultCursor?: string } {
  if (answer === undefined) return {};
  const { text, next } = toPage(answer, { cursor, maxChars });
  return { result: text, ...(next === undefined ? {} : { resultCursor: next }) };
}

/** Removes the final message, which `result` already contains. */
export function withoutFinalMessage(messages: readonly string[], answer: string | undefined): readonly string[] {
  return answer !== undefined && messages.at(-1) === answer ? messages.slice(0, -1) : messages;
}

function messagesOf(events: readonly SessionEvent[]): readonly string[] {
  return events
    .filter(({ item }) => item.type === 'agent_message' && item.status === 'completed')
    .map(({ item }) => item.text ?? '');
}

/** Returns each item once, in its latest state. */
function latestItems(events: readonly SessionEvent[], turn: Turn | undefined): readonly Item[] {
  const latest = [...new Map(events.map((event) => [event.item.id, event])).values()];
  return latest
    .filter(({ turnId, item }) => turn?.hasId(turnId) !== true || !turn.isAbandoned(item))
    .map(({ item }) => item);
}

export function toLine(text: string): string {
  return truncateJson(oneLine(text), MAX_LINE);
}

/** Omits the summary of a completed message: its text is in `recentOutput` or `result`. */
export function toItemEvent({ type, status, summary, exitCode, outputTail, omittedOutput }: Item) {
  const isReportedElsewhere = type === 'agent_message' && status === 'completed';
  return omitUndefined({
    itemType: type,
    status,
    summary: summary === '' || isReportedElsewhere ? undefined : truncateJson(summary, 2 * MAX_LINE),
    exitCode,
    outputTail: outputTail === undefined ? undefined : truncateStartJson(outputTail, MAX_TAIL, omittedOutput),
  });
}

export function toErrorView({ kind, message, httpStatus, resetsAt }: TurnFailure) {
  return omitUndefined({
    kind,
    message: truncateJson(message, MAX_ERROR_CHARS),
    httpStatus,
    resetsAt,
    hint: HINTS[kind],
  });
}

const HINTS: Readonly<Partial<Record<TurnFailure['kind'], string>>> = {
  auth: 'Codex is not signed in, or its key is refused: run codex login, or check the key of its model provider.',
  context_window: 'Start a new session, or fork this one at an earlier turn.',
  engine: 'codex_say continues the session.',
  usage_limit: 'Wait until the limit resets, or use another account.',
};

function toUsage({ inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens }: Usage) {
  return { inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens };
}

function settingsOf({ opened }: Session) {
  const { cwd, model, approvalPolicy, sandbox, forkedFrom } = opened;
  return { workingDirectory: cwd === '' ? undefined : cwd, model, approvalPolicy, sandbox, forkedFrom };
}
