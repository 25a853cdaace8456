import { isSignInNeeded } from '../../../auth/sign-in/sign-in-errors.ts';
import type { AppError } from '../../../base/errors.ts';
import type { SentRequest } from '../transport.ts';
import type { ExchangeFailure, HttpRequest, StartExchange } from './exchange/exchange.ts';
import { sendSingleRequest } from './exchange/single-request.ts';

export interface UnauthorizedCallsOptions {
  readonly startExchange: StartExchange;
  /** Returns a `tools/list` request in the protocol of the server. */
  readonly listRequest: () => Pick<HttpRequest, 'headers' | 'body'>;
  /** Called if only this request is rejected. */
  readonly requestFailed: (id: number, error: AppError) => void;
  /** Called if the server rejects every request. */
  readonly end: (error: AppError) => void;
}

/** Distinguishes a server that rejects one call from one that rejects every request. */
export interface UnauthorizedCalls {
  /**
   * Returns true if a check has started, which ends with `requestFailed` or `end`. Returns false if the failure affects
   * all requests.
   */
  handle(request: SentRequest | undefined, failure: ExchangeFailure): boolean;
}

/**
 * Creates the check. Many servers have public tools next to those that need a sign-in, so a rejected call says nothing
 * about the others. A server that still lists its tools stays connected.
 */
export function createUnauthorizedCalls({
  startExchange,
  listRequest,
  requestFailed,
  end,
}: UnauthorizedCallsOptions): UnauthorizedCalls {
  let pendingCheck: Promise<boolean> | undefined;

  const checkAllRejected = () => {
    const request: HttpRequest = { method: 'POST', ...listRequest(), isSafeToResend: true, skipsSignIn: true };
    pendingCheck ??= sendSingleRequest(startExchange, request, CHECK_MS)
      .then(({ status }) => status === 401, isSignInNeeded)
      .finally(() => {
        pendingCheck = undefined;
      });
    return pendingCheck;
  };

  return {
    handle(request, { error }) {
      if (request === undefined || !SINGLE_ITEM_METHODS.has(request.method) || !isSignInNeeded(error)) return false;
      void checkAllRejected().then((rejectsAll) => (rejectsAll ? end(error) : requestFailed(request.id, error)));
      return true;
    },
  };
}

const CHECK_MS = 5_000;
/** Methods that concern one tool, prompt or resource. */
const SINGLE_ITEM_METHODS: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
]);
