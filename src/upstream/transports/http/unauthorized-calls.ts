import { type AppError, isAppError } from '../../../base/errors.ts';
import type { SentRequest } from '../transport.ts';
import type { BeginExchange, ExchangeFailure, HttpRequest } from './exchange/exchange.ts';
import { sendSingleRequest } from './exchange/single-request.ts';

export interface UnauthorizedCallsOptions {
  readonly begin: BeginExchange;
  /** A request for the tools of the server, as its era has it. */
  readonly listRequest: () => Pick<HttpRequest, 'headers' | 'body'>;
  /** This request was refused, and others are not. */
  readonly requestFailed: (id: number, error: AppError) => void;
  /** The server refuses everything. */
  readonly end: (error: AppError) => void;
}

/** Tells a server that refuses one tool from one that refuses everything. */
export interface UnauthorizedCalls {
  /** True: it is being found out, and `failed` or `end` is called with the error. False: it concerns everything. */
  handle(request: SentRequest | undefined, failure: ExchangeFailure): boolean;
}

/**
 * Many servers have public tools beside those that need a sign-in, so a refused call says nothing about the others. A
 * server that still lists its tools to us stays connected.
 */
export function createUnauthorizedCalls({
  begin,
  listRequest,
  requestFailed,
  end,
}: UnauthorizedCallsOptions): UnauthorizedCalls {
  let pendingCheck: Promise<boolean> | undefined;

  const refusesEverything = () => {
    const request: HttpRequest = { method: 'POST', ...listRequest(), isIdempotent: true, skipsSignIn: true };
    pendingCheck ??= sendSingleRequest(begin, request, CHECK_MS)
      .then(({ status }) => status === 401, isSignInNeeded)
      .finally(() => {
        pendingCheck = undefined;
      });
    return pendingCheck;
  };

  return {
    handle(request, { error }) {
      if (request === undefined || !SINGLE_ITEM_METHODS.has(request.method) || !isSignInNeeded(error)) return false;
      void refusesEverything().then((isOut) => (isOut ? end(error) : requestFailed(request.id, error)));
      return true;
    },
  };
}

const CHECK_MS = 5_000;
/** Requests that concern one tool, prompt or resource. */
const SINGLE_ITEM_METHODS: ReadonlySet<string> = new Set([
  'tools/call',
  'prompts/get',
  'resources/read',
  'resources/subscribe',
  'completion/complete',
]);

function isSignInNeeded(error: unknown): boolean {
  return isAppError(error) && error.code === 'SIGN_IN_NEEDED';
}
