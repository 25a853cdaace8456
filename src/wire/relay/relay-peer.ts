import { AppError, toAppError } from '../../base/errors.ts';
import { type Frame, frameBytes, frameText } from '../frame.ts';
import { scanElements } from '../json/scan.ts';
import { isForwardable } from '../json/splice.ts';
import { MAX_DEPTH } from '../json-check/json-check.ts';
import { isObject, type JsonRpcMessage } from '../messages.ts';
import { parseFrame } from '../parse-frame.ts';
import { classify, toInvalidMessageError } from '../rpc/classify.ts';
import { createPendingRequests, type PendingRequest, type PendingRequests } from '../rpc/pending-requests.ts';
import { type ResultFrame, readResult } from './read-result.ts';

/** A pending request that can forward its result without parsing it. */
export interface RelayedRequest extends PendingRequest {
  result(result: ResultFrame): void;
  /** Accepts a result of any nesting depth. Beyond `MAX_DEPTH`, the result has not been checked to be JSON. */
  readonly acceptsAnyDepth?: boolean;
}

export interface RelayReceiver<Request extends RelayedRequest> {
  /** `requestId` is the request of ours on whose response stream the message arrived, if known. */
  request(message: JsonRpcMessage, frame: Frame, requestId: number | undefined): void;
  notification(message: JsonRpcMessage, frame: Frame, requestId: number | undefined): void;
  /** Handles input that is not a message, or that is neither a request, a notification nor a response. */
  invalidMessage(error: AppError, frame: Frame): void;
  /** Handles a batch. Without it, each message of a batch is handled separately. */
  batch?(messages: readonly unknown[], text: string): void;
  /** Replaces an error response. Without it, each error response is delivered as received. */
  replaceError?(message: JsonRpcMessage, frame: Frame): { readonly message: JsonRpcMessage; readonly frame: Frame };
  /** Called when a request has timed out. */
  expired(id: number, request: Request): void;
}

/**
 * One side of a relay: it receives messages as bytes, classifies them, and passes them on as bytes. `Request` is the
 * type of our requests to that side.
 */
export interface RelayPeer<Request extends RelayedRequest> {
  readonly pending: PendingRequests<Request>;
  /** `requestId` is the request of ours on whose response stream the frame arrived, if known. */
  receive(frame: Frame, requestId?: number): void;
  /** Like `receive`, for a message that is already parsed. */
  dispatch(message: unknown, frame: Frame, requestId?: number): void;
}

export function createRelayPeer<Request extends RelayedRequest>(receiver: RelayReceiver<Request>): RelayPeer<Request> {
  const pending = createPendingRequests<Request>(receiver.expired);
  const isPending = (id: unknown) => pending.find(id) !== undefined;

  const receive = (frame: Frame, requestId?: number) => {
    const result = readResult(frame);
    if (result === undefined) return parse(frame, requestId);
    // A response with an unknown id is late or made up, and is dropped.
    const request = pending.takeAnswered(result.id);
    if (result.depth <= MAX_DEPTH || request?.acceptsAnyDepth === true) request?.result(result);
    else request?.fail(tooDeep(request.method, MAX_DEPTH));
  };

  const parse = (frame: Frame, requestId: number | undefined) => {
    let message: unknown;
    try {
      message = parseFrame(frame);
    } catch (error) {
      return receiver.invalidMessage(toAppError(error), frame);
    }
    if (!Array.isArray(message))
      return dispatch(message, isForwardable(frame) ? frame : [Buffer.from(toOneLine(frame))], requestId);
    if (receiver.batch !== undefined) return receiver.batch(message, toOneLine(frame));
    const bytes = frameBytes(frame);
    for (const [index, { start, end }] of scanElements(bytes).entries()) {
      const element = [bytes.subarray(start, end)];
      // A batch inside a batch is invalid, so it is not split any further.
      if (Array.isArray(message[index])) dispatch(message[index], element);
      else receive(element, requestId);
    }
  };

  const dispatch = (message: unknown, frame: Frame, requestId?: number) => {
    if (!isObject(message)) {
      return receiver.invalidMessage(new AppError('INVALID_REQUEST', 'A message must be a JSON object.'), frame);
    }
    switch (classify(message, isPending)) {
      case 'request':
        return receiver.request(message, frame, requestId);
      case 'notification':
        return receiver.notification(message, frame, requestId);
      case 'response':
        return handleResponse(message, frame);
      case 'invalid':
        return receiver.invalidMessage(toInvalidMessageError(message), frame);
    }
  };

  const handleResponse = (message: JsonRpcMessage, frame: Frame) => {
    if (message.error === undefined || receiver.replaceError === undefined) return pending.settle(message, frame);
    const replaced = receiver.replaceError(message, frame);
    pending.settle(replaced.message, replaced.frame);
  };

  return { pending, receive, dispatch };
}

/** Creates the error for a response that some JSON parser on its path would reject. */
export function tooDeep(method: string, maxDepth: number): AppError {
  return new AppError('BAD_ANSWER', `${method}: the answer is nested deeper than ${maxDepth} levels.`);
}

/** Makes JSON fit for forwarding: it has line breaks only between its tokens, where a blank means the same. */
function toOneLine(frame: Frame): string {
  return frameText(frame)
    .replace(/[\r\n]/g, ' ')
    .trim();
}
