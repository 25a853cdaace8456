import type { Session } from '../sessions/session.ts';
import type { Turn } from '../sessions/turn.ts';
import { isFailedCommand, summarizeWork } from '../text/item-summaries.ts';
import { cutJson } from '../text/truncate.ts';
import { questionsOf } from './approval-view.ts';
import { finalMessage, line, toError, toItemEvent, toResult, withoutUndefined } from './status-view.ts';

export interface OutcomeOptions {
  /** The size of the first page of the answer, in characters of JSON. */
  readonly maxResultChars?: number;
}

const MAX_MESSAGE = 500;
const MAX_FAILED = 3;
const MAX_WARNINGS = 10;

/**
 * What a caller has to know of a turn that it waited for: the answer, and one line about the work. A turn without an
 * answer says more: what Codex said last, and which commands failed. `codex_status` tells the rest.
 */
export function toOutcome(session: Session, { maxResultChars }: OutcomeOptions = {}) {
  const { turn, failure } = session;
  const answer = finalMessage(session);
  const shown = toResult(answer, maxResultChars === undefined ? {} : { maxChars: maxResultChars });
  const { pendingQuestion, pendingQuestions = [] } = questionsOf(session);
  const warnings = session.untoldWarnings();
  const isCut = shown.resultCursor !== undefined || pendingQuestion?.truncated === true;
  return withoutUndefined({
    sessionId: session.id,
    status: session.status,
    ...shown,
    error: failure === undefined ? undefined : toError(failure),
    summary: turn === undefined ? undefined : summarizeWork(turn.items(), turn.files(), session.opened.cwd),
    pendingQuestion,
    pendingQuestions: pendingQuestions.length > 1 ? pendingQuestions : undefined,
    ...(answer === undefined && turn !== undefined ? unfinished(turn) : {}),
    forkedFrom: session.opened.forkedFrom,
    queuedMessages: session.queue.length === 0 ? undefined : session.queue.length,
    warnings: warnings.length === 0 ? undefined : warnings.slice(-MAX_WARNINGS).map(line),
    truncated: isCut ? true : undefined,
  });
}

function unfinished(turn: Turn) {
  const failed = turn.items().filter(isFailedCommand).slice(-MAX_FAILED);
  return {
    recentOutput: turn.lastMessage === undefined ? undefined : [cutJson(turn.lastMessage, MAX_MESSAGE)],
    itemEvents: failed.length === 0 ? undefined : failed.map(toItemEvent),
    retrying: turn.retrying === undefined ? undefined : line(turn.retrying),
  };
}
