import type { Deadlines } from '../../base/deadlines.ts';
import { AppError } from '../../base/errors.ts';

/** How one question may end before it is answered. */
export interface InputRequestOptions {
  /** How long the person may take. */
  readonly timeoutMs?: number;
  /** Withdraws the question. */
  readonly signal?: AbortSignal;
}

/** A question of a held call: settled once, by its answer, by the end of the call, or withdrawn by the one who asked. */
export interface InputRequest {
  readonly method: string;
  readonly params: unknown;
  /** Undefined: as long as the call is held. */
  readonly timeoutMs: number | undefined;
  readonly response: Promise<unknown>;
  resolve(answer: unknown): void;
  reject(error: AppError): void;
}

/** `forget` is called when it is withdrawn: an answer that still comes is nobody's. */
export function createInputRequest(
  request: { readonly method: string; readonly params: unknown },
  { timeoutMs, signal }: InputRequestOptions,
  deadlines: Deadlines<() => void>,
  remove: () => void,
): InputRequest {
  let settle: { resolve(answer: unknown): void; reject(error: AppError): void } | undefined;
  const response = new Promise<unknown>((resolve, reject) => {
    settle = { resolve, reject };
  });
  const end = () => {
    deadlines.clear(expire);
    signal?.removeEventListener('abort', cancel);
  };
  const inputRequest: InputRequest = {
    ...request,
    timeoutMs,
    response,
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
    remove();
    inputRequest.reject(error);
  };
  const expire = () => withdraw(new AppError('TIMED_OUT', `${request.method} was not answered in time.`));
  const cancel = () => withdraw(new AppError('CANCELLED', `${request.method} was cancelled.`));
  if (timeoutMs !== undefined) deadlines.set(expire, timeoutMs);
  signal?.addEventListener('abort', cancel, { once: true });
  return inputRequest;
}
