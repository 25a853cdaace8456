import type { AppError } from '../../../base/errors.ts';
import type { IncomingRequest } from '../../../wire/rpc/incoming-requests.ts';
import type { ApprovalRequest } from '../../approvals/approval-request.ts';
import type { IncomingApproval } from '../../engine.ts';

/** The server requests of one app-server that wait for a response. */
export interface PendingRequests {
  /** Resolves once, with the response for Codex. */
  add(request: IncomingRequest, about: SessionApproval, deliver: (asked: IncomingApproval) => void): Promise<unknown>;
  /** Codex no longer waits for this request, regardless of who responded. */
  resolved(requestId: unknown): void;
  /** Withdraws the requests of a turn that has ended: an old Codex does not report that. */
  withdrawForThread(sessionId: string): void;
  withdrawAll(reason: AppError): void;
}

interface SessionApproval {
  readonly sessionId: string;
  readonly request: ApprovalRequest;
}

export function createPendingRequests(): PendingRequests {
  const pending = new Map<unknown, { readonly sessionId: string; withdraw(reason?: AppError): void }>();
  return {
    add(request, { sessionId, request: question }, deliver) {
      const controller = new AbortController();
      return new Promise((resolve) => {
        const settle = (response: unknown) => {
          pending.delete(request.id);
          resolve(response);
        };
        const withdraw = (reason?: AppError) => {
          // Codex ignores a response that comes too late. Every request must get one.
          settle(question.refusal);
          controller.abort(reason);
        };
        pending.set(request.id, { sessionId, withdraw });
        deliver({ request: question, respond: settle, withdrawn: controller.signal });
      });
    },
    resolved: (requestId) => pending.get(requestId)?.withdraw(),
    withdrawForThread(sessionId) {
      for (const one of [...pending.values()]) if (one.sessionId === sessionId) one.withdraw();
    },
    withdrawAll(reason) {
      for (const one of [...pending.values()]) one.withdraw(reason);
    },
  };
}
