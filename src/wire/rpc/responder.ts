import { type JsonRpcError, toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { isThenable } from '../../base/thenable.ts';
import { errorText, resultText } from '../messages.ts';
import type { IncomingRequest, RunningRequests } from './incoming-requests.ts';

/** Runs the work of one request and replies exactly once, unless it was cancelled. Never throws. */
export type Respond = (request: IncomingRequest, work: (request: IncomingRequest) => unknown) => void;

/** Converts a thrown error to the one that the other side gets. */
export type ToError = (error: unknown, method: string) => JsonRpcError;

export function createResponder(running: RunningRequests, toError: ToError = toJsonRpcError): Respond {
  const finish = (request: IncomingRequest, result: unknown) => {
    let text: string;
    try {
      text = resultText(request.idText, result);
    } catch (error) {
      return fail(request, error);
    }
    settle(request, text);
  };

  const fail = (request: IncomingRequest, error: unknown) =>
    settle(request, errorText(request.idText, toErrorSafely(error, request.method, toError)));

  const settle = (request: IncomingRequest, text: string) => {
    // The exchange of a request that the client cancelled has already ended.
    if (!request.isAnswered) request.exchange.respond(request.isAborted ? undefined : text);
    request.isAnswered = true;
    running.remove(request);
  };

  return (request, work) => {
    if (!running.add(request)) {
      const busy = new AppError('BUSY', 'Too many requests are pending. Try again in a moment.');
      return request.exchange.respond(errorText(request.idText, toJsonRpcError(busy)));
    }
    try {
      const outcome = work(request);
      if (!isThenable(outcome)) return finish(request, outcome);
      // A foreign thenable may throw or settle twice; a promise made from it does neither.
      const promise = outcome instanceof Promise ? outcome : Promise.resolve(outcome);
      promise.then(
        (result) => finish(request, result),
        (error) => fail(request, error),
      );
    } catch (error) {
      fail(request, error);
    }
  };
}

/** Never throws, so that the request gets a response even if `toError` fails. */
function toErrorSafely(error: unknown, method: string, toError: ToError): JsonRpcError {
  try {
    return toError(error, method);
  } catch (cause) {
    const message = `${method} failed, and its error could not be described.`;
    return toJsonRpcError(new AppError('INTERNAL', message, { cause }));
  }
}
