import type { ApprovalRequest } from '../../src/codex/approvals/approval-request.ts';
import type { PendingApproval } from '../../src/codex/approvals/pending-approval.ts';

/** A pending approval that never times out, requested at time 0. */
export function pendingApproval(
  request: ApprovalRequest,
  { id = 'q', isPrompting = false }: { readonly id?: string; readonly isPrompting?: boolean } = {},
): PendingApproval {
  const timer = setTimeout(() => {}, 0);
  clearTimeout(timer);
  return {
    requestId: id,
    threadId: 's',
    request,
    id,
    requestedAt: 0,
    isPrompting,
    wasPrompted: isPrompting,
    isDeciding: false,
    promptController: new AbortController(),
    timer,
    respond: () => {},
  };
}
