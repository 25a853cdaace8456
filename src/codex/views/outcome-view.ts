import { omitUndefined } from '../../base/omit-undefined.ts';
import type { Session } from '../sessions/session.ts';
import type { Turn } from '../sessions/turn.ts';
import { isFailedCommand, summarizeWork } from '../text/item-summaries.ts';
import { truncateJson } from '../text/truncate.ts';
import { viewPendingApprovals } from './approval-view.ts';
import { finalMessage, toErrorView, toItemEvent, toLine, toResultPage } from './status-view.ts';

export interface OutcomeOptions {
  /** The size of the first page of the final message, in characters of JSON. */
  readonly maxResultChars?: number;
}

const MAX_MESSAGE = 500;
const MAX_FAILED = 3;
const MAX_WARNINGS = 10;

/**
 * Returns the essentials of a turn that a caller waited for: the final message, and one line about the work. For a turn
 * without a final message, adds the last message and the failed commands. `codex_status` has the rest.
 */
export function toOutcomeView(session: Session, { maxResultChars }: OutcomeOptions = {}) {
  const { turn, failure } = session;
  const message = finalMessage(session);
  const page = toResultPage(message, maxResultChars === undefined ? {} : { maxChars: maxResultChars });
  const { pendingQuestion, pendingQuestions = [] } = viewPendingApprovals(session);
  const warnings = session.unreportedWarnings();
  const isCut = page.resultCursor !== undefined || pendingQuestion?.truncated === true;
  return omitUndefined({
    sessionId: session.id,
    status: session.status,
    ...page,
    error: failure === undefined ? undefined : toErrorView(failure),
    summary: turn === undefined ? undefined : summarizeWork(turn.items(), turn.files(), session.opened.cwd),
    pendingQuestion,
    pendingQuestions: pendingQuestions.length > 1 ? pendingQuestions : undefined,
    ...(message === undefined && turn !== undefined ? describeUnfinished(turn) : {}),
    forkedFrom: session.opened.forkedFrom,
    queuedMessages: session.queue.length === 0 ? undefined : session.queue.length,
    warnings: warnings.length === 0 ? undefined : warnings.slice(-MAX_WARNINGS).map(toLine),
    truncated: isCut ? true : undefined,
  });
}

function describeUnfinished(turn: Turn) {
  const failed = turn.items().filter(isFailedCommand).slice(-MAX_FAILED);
  return {
    recentOutput: turn.lastMessage === undefined ? undefined : [truncateJson(turn.lastMessage, MAX_MESSAGE)],
    itemEvents: failed.length === 0 ? undefined : failed.map(toItemEvent),
    retrying: turn.retrying === undefined ? undefined : toLine(turn.retrying),
  };
}
