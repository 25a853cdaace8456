import { type JsonRpcError, toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import { isThenable } from '../../base/thenable.ts';
import { errorText, resultText } from '../messages.ts';
import type { Reply } from './batch.ts';
import type { IncomingRequest, RunningRequests } from './incoming-requests.ts';

/** Runs the work of one request and replies exactly once, unless it was cancelled. Never throws. */
export type Respond = (request: IncomingRequest, work: (request: IncomingRequest) => unknown, reply: Reply) => void;

/** Converts a thrown error to the one that the other side gets. */
export type ToError = (error: unknown, method: string) => JsonRpcError;

export function createResponder(running: RunningRequests, toError: ToError = toJsonRpcError): Respond {
  const finish = (request: IncomingRequest, result: unknown, reply: Reply) => {
    let text: string;
    try {
      text = resultText(request.idText, result);
    } catch (error) {
      return fail(request, error, reply);
    }
    settle(request, text, reply);
  };

  const fail = (request: IncomingRequest, error: unknown, reply: Reply) =>
    settle(request, errorText(request.idText, toErrorSafely(error, request.method, toError)), reply);

  const settle = (request: IncomingRequest, text: string, reply: Reply) => {
    reply(request.isAborted ? undefined : text);
    request.isAnswered = true;
    running.remove(request);
  };

  return (request, work, reply) => {
    if (!running.add(request, reply)) {
      const busy = new AppError('BUSY', 'Too many requests are pending. Try again in a moment.');
      return reply(errorText(request.idText, toJsonRpcError(busy)));
    }
    try {
      const outcome = work(request);
      if (!isThenable(outcome)) return finish(request, outcome, reply);
      // A foreign thenable may throw or settle twice; a promise made from it does neither.
      const promise = outcome instanceof Promise ? outcome : Promise.resolve(outcome);
      promise.then(
        (result) => finish(request, result, reply),
        (error) => fail(request, error, reply),
      );
    } catch (error) {
      fail(request, error, reply);
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
