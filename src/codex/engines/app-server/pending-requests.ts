import type { AppError } from '../../../base/errors.ts';
import type { IncomingRequest } from '../../../wire/rpc/incoming-requests.ts';
import type { Question } from '../../approvals/approval-request.ts';
import type { AskedQuestion } from '../../engine.ts';

/** The questions of one app-server that wait for an answer. */
export interface Pending {
  /** Resolves with Codex's answer, once. */
  ask(request: IncomingRequest, about: AboutSession, hand: (asked: AskedQuestion) => void): Promise<unknown>;
  /** Codex no longer waits for this one, whoever answered it. */
  resolved(requestId: unknown): void;
  /** Its turn is over, and whatever it asked with it: an old Codex does not say so. */
  withdrawOf(sessionId: string): void;
  withdrawAll(reason: AppError): void;
}

interface AboutSession {
  readonly sessionId: string;
  readonly question: Question;
}

export function createPending(): Pending {
  const open = new Map<unknown, { readonly sessionId: string; withdraw(reason?: AppError): void }>();
  return {
    ask(request, { sessionId, question }, hand) {
      const controller = new AbortController();
      return new Promise((resolve) => {
        const settle = (response: unknown) => {
          open.delete(request.id);
          resolve(response);
        };
        const withdraw = (reason?: AppError) => {
          // Codex passes over an answer that comes too late; no request is left without one.
          settle(question.refusal);
          controller.abort(reason);
        };
        open.set(request.id, { sessionId, withdraw });
        hand({ question, answer: settle, withdrawn: controller.signal });
      });
    },
    resolved: (requestId) => open.get(requestId)?.withdraw(),
    withdrawOf(sessionId) {
      for (const one of [...open.values()]) if (one.sessionId === sessionId) one.withdraw();
    },
    withdrawAll(reason) {
      for (const one of [...open.values()]) one.withdraw(reason);
    },
  };
}
