import { oneLine } from '../base/text.ts';
import type { PendingQuestion } from './approvals.ts';
import type { Session } from './session.ts';
import type { SessionEvent } from './session-events.ts';
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
  const outputs = newest(lastOf(messagesOf(slice.events), outputLines), MAX_OUTPUT_CHARS);
  const items = cursor === undefined ? (turn?.items() ?? []) : latestOf(slice.events);
  const result = session.status === 'done' ? turn?.lastMessage : undefined;
  const isCut = outputs.isCut || items.length > MAX_ITEMS || (result?.length ?? 0) > MAX_RESULT_CHARS;
  return withoutUndefined({
    sessionId: session.id,
    status: session.status,
    result: result === undefined ? undefined : cut(result, MAX_RESULT_CHARS),
    error: failure === undefined ? undefined : toError(failure),
    recentOutput: outputs.texts,
    ...questionsOf(session),
    itemEvents: items.slice(-MAX_ITEMS).map(toItemEvent),
    plan: turn === undefined || turn.plan.length === 0 ? undefined : turn.plan.slice(0, MAX_PLAN),
    filesChanged: turn?.files().slice(0, MAX_FILES) ?? [],
    retrying: turn?.retrying === undefined ? undefined : oneLine(turn.retrying, MAX_LINE),
    usage: session.usage && toUsage(session.usage),
    turnUsage: turn?.usage && toUsage(turn.usage),
    contextWindow: session.contextWindow,
    turnCount: session.turnCount,
    turnSeconds: turn === undefined ? undefined : Math.round(((turn.endedAt ?? Date.now()) - turn.startedAt) / 1000),
    queuedMessages: session.queue.length === 0 ? undefined : session.queue.length,
    ...settingsOf(session),
    warnings: session.warnings.length === 0 ? undefined : session.warnings,
    cursor: session.events.cursor(),
    missedEvents: slice.isIncomplete ? true : undefined,
    truncated: isCut ? true : undefined,
  });
}

export type StatusView = ReturnType<typeof toStatusView>;

/** The oldest question under the name that has always been there, and all of them beside it. */
export function questionsOf({ questions }: Session) {
  const [oldest] = questions;
  if (oldest === undefined) return {};
  return {
    pendingQuestion: toQuestionView(oldest),
    pendingQuestions: questions.slice(0, MAX_QUESTIONS).map(toQuestionView),
  };
}

export function toQuestionView({ id, question, askedAt, isBeingAsked }: PendingQuestion) {
  return withoutUndefined({
    id,
    type: question.type,
    questions: question.parts.map(({ question: text, options, isOpen, isSecret }) =>
      withoutUndefined({ question: cut(text, MAX_QUESTION_CHARS), options, isOpen, isSecret }),
    ),
    askedAt: new Date(askedAt).toISOString(),
    // Whoever looks at the client's own dialog will most likely answer there.
    askedByElicitation: isBeingAsked ? true : undefined,
  });
}

/** Together well below what clients show a model of one result. */
const MAX_RESULT_CHARS = 24_000;
const MAX_OUTPUT_CHARS = 16_000;
const MAX_QUESTION_CHARS = 10_000;
const MAX_QUESTIONS = 5;
const MAX_ITEMS = 60;
const MAX_FILES = 100;
const MAX_PLAN = 50;
const MAX_LINE = 300;

function messagesOf(events: readonly SessionEvent[]): readonly string[] {
  return events
    .filter(({ item }) => item.type === 'agent_message' && item.status === 'completed')
    .map(({ item }) => item.text ?? '');
}

export function lastOf<Value>(list: readonly Value[], count: number): readonly Value[] {
  return count === 0 ? [] : list.slice(-count);
}

/** Each item once, as it was last. */
function latestOf(events: readonly SessionEvent[]): readonly Item[] {
  return [...new Map(events.map(({ item }) => [item.id, item])).values()];
}

/** The newest texts that fit together. */
function newest(
  texts: readonly string[],
  maxChars: number,
): { readonly texts: readonly string[]; readonly isCut: boolean } {
  const kept: string[] = [];
  let left = maxChars;
  for (const text of [...texts].reverse()) {
    if (left <= 0) break;
    kept.unshift(cut(text, left));
    left -= text.length;
  }
  return { texts: kept, isCut: left < 0 };
}

function toItemEvent({ type, status, summary }: Item) {
  return summary === '' ? { itemType: type, status } : { itemType: type, status, summary };
}

function toError({ kind, message, httpStatus, resetsAt }: TurnFailure) {
  return withoutUndefined({ kind, message: cut(message, MAX_QUESTION_CHARS), httpStatus, resetsAt });
}

function toUsage({ inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens }: Usage) {
  return { inputTokens, cachedInputTokens, outputTokens, reasoningOutputTokens };
}

function settingsOf({ opened }: Session) {
  const { cwd, model, approvalPolicy, sandbox, forkedFrom } = opened;
  return { workingDirectory: cwd === '' ? undefined : cwd, model, approvalPolicy, sandbox, forkedFrom };
}

/** Where a text was cut, and how much is missing. */
export function cut(text: string, maxChars: number): string {
  if (text.length <= maxChars) return text;
  return `${text.slice(0, maxChars)}… [${text.length - maxChars} more characters]`;
}

function withoutUndefined<Members extends object>(members: Members): Members {
  // Only members that are undefined go: the type, in which they are optional anyway, stays true.
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as Members;
}
