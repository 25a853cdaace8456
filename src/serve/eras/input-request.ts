import type { Deadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';

/** How one question may end before it is answered. */
export interface QuestionOptions {
  /** How long the person may take. */
  readonly timeoutMs?: number;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}

/** A question of a held call: settled once, by its answer, by the end of the call, or withdrawn by the one who asked. */
export interface Question {
  readonly method: string;
  readonly params: unknown;
  /** Undefined: as long as the call is held. */
  readonly timeoutMs: number | undefined;
  readonly answered: Promise<unknown>;
  resolve(answer: unknown): void;
  reject(error: AppError): void;
}

/** `forget` is called when it is withdrawn: an answer that still comes is nobody's. */
export function createQuestion(
  asked: { readonly method: string; readonly params: unknown },
  { timeoutMs, signal }: QuestionOptions,
  deadlines: Deadlines<() => void>,
  forget: () => void,
): Question {
  let settle: { resolve(answer: unknown): void; reject(error: AppError): void } | undefined;
  const answered = new Promise<unknown>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const end = () => {
    deadlines.clear(expire);
    signal?.removeEventListener('abort', cancel);
  };
  const question: Question = {
    ...asked,
    timeoutMs,
    answered,
    resolve(answer) {
      end();
      settle?.resolve(answer);
    },
    reject(error) {
      end();
      settle?.reject(error);
    },
  };
  const withdraw = (error: AppError) => {
    forget();
    question.reject(error);
  };
  const expire = () => withdraw(new AppError('TIMED_OUT', `${asked.method} was not answered in time.`));
  const cancel = () => withdraw(new AppError('CANCELLED', `${asked.method} was cancelled.`));
  if (timeoutMs !== undefined) deadlines.set(expire, timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  return question;
}
