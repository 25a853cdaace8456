import type { PendingApproval } from '../approvals/pending-approval.ts';
import type { Session } from '../sessions/session.ts';
import { truncateJson, truncateMiddleJson } from '../text/truncate.ts';

/** The oldest request is shown in full up to this limit, the others only as an excerpt. */
const MAX_OLDEST_CHARS = 6_000;
const MAX_OTHER_CHARS = 600;
const MAX_APPROVALS = 10;
const MAX_OPTION_CHARS = 200;
const MAX_OPTIONS = 20;

/** Returns the oldest request as `pendingQuestion`, kept for compatibility, and all of them as `pendingQuestions`. */
export function viewPendingApprovals(
  { pendingApprovals }: Session,
  { isWhole = false }: { readonly isWhole?: boolean } = {},
) {
  const [oldest, ...others] = pendingApprovals;
  if (oldest === undefined) return {};
  if (isWhole) {
    const all = pendingApprovals.map((approval) => toApprovalView(approval, Number.POSITIVE_INFINITY));
    return { pendingQuestion: all[0], pendingQuestions: all };
  }
  const first = toApprovalView(oldest, MAX_OLDEST_CHARS);
  const rest = others.slice(0, MAX_APPROVALS - 1).map((other) => toApprovalView(other, MAX_OTHER_CHARS));
  return { pendingQuestion: first, pendingQuestions: [first, ...rest] };
}

function toApprovalView({ id, request, requestedAt, isPrompting }: PendingApproval, maxChars: number) {
  const maxPart = Math.floor(maxChars / Math.max(1, request.questions.length));
  const isCut = request.questions.some(({ question: text }) => truncateMiddleJson(text, maxPart) !== text);
  return {
    id,
    type: request.type,
    questions: request.questions.map(({ question: text, options, isOpen, isSecret }) => ({
      question: truncateMiddleJson(text, maxPart),
      options: options.slice(0, MAX_OPTIONS).map((option) => truncateJson(option, MAX_OPTION_CHARS)),
      ...(isOpen === true ? { isOpen } : {}),
      ...(isSecret === true ? { isSecret } : {}),
    })),
    askedAt: new Date(requestedAt).toISOString(),
    // The resource of the session has the full text.
    ...(isCut ? { truncated: true } : {}),
    // A user who sees the client's own dialog will most likely respond there.
    ...(isPrompting ? { askedByElicitation: true } : {}),
  };
}
