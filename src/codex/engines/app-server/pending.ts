import type { AppError } from '../../../base/errors.ts';
import type { IncomingRequest } from '../../../wire/incoming.ts';
import type { AskedQuestion } from '../../engine.ts';
import type { Question } from '../../question.ts';

/** The questions of one app-server that wait for an answer. */
export interface Pending {
  /** Resolves with Codex's answer, once. */
  ask(request: IncomingRequest, question: Question, hand: (asked: AskedQuestion) => void): Promise<unknown>;
  /** Codex no longer waits for this one, whoever answered it. */
  resolved(requestId: unknown): void;
  withdrawAll(reason: AppError): void;
}

export function createPending(): Pending {
  const open = new Map<unknown, (reason?: AppError) => void>();
  return {
    ask(request, question, hand) {
      const controller = new AbortController();
      return new Promise((resolve) => {
        const settle = (response: unknown) => {
          open.delete(request.id);
          resolve(response);
        };
        open.set(request.id, (reason) => {
          controller.abort(reason);
          // Codex passes over an answer that comes too late; no request is left without one.
          settle(question.refusal);
        });
        hand({ question, answer: settle, withdrawn: controller.signal });
      });
    },
    resolved: (requestId) => open.get(requestId)?.(),
    withdrawAll(reason) {
      for (const withdraw of [...open.values()]) withdraw(reason);
    },
  };
}
