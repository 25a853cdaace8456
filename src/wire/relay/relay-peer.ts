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

/** Somebody who waits and can pass a result on without having it parsed. */
export interface RelayedRequest extends PendingRequest {
  result(result: ResultFrame): void;
  /** Takes a result however deep it is nested. What is that deep has not been checked to be JSON. */
  readonly acceptsAnyDepth?: boolean;
}

export interface RelayReceiver {
  request(message: JsonRpcMessage, frame: Frame): void;
  notification(message: JsonRpcMessage, frame: Frame): void;
  /** No message, or one that is neither asked for nor addressed to anybody. */
  invalidMessage(error: AppError, frame: Frame): void;
  /** Several messages in one; without it each is taken for itself. */
  batch?(messages: readonly unknown[], text: string): void;
  /** Puts another in the place of an error answer; without it each is handed on as it came. */
  replaceError?(message: JsonRpcMessage, frame: Frame): { readonly message: JsonRpcMessage; readonly frame: Frame };
  /** The time of this one is over. */
  expired(id: number, request: RelayedRequest): void;
}

/** One side of a relay: messages come as bytes, are told apart, and go on as bytes. */
export interface RelayPeer {
  readonly pending: PendingRequests<RelayedRequest>;
  receive(frame: Frame): void;
  /** What `receive` does with a message that is parsed already. */
  dispatch(message: unknown, frame: Frame): void;
}

export function createRelayPeer(receiver: RelayReceiver): RelayPeer {
  const pending = createPendingRequests<RelayedRequest>(receiver.expired);
  const isPending = (id: unknown) => pending.find(id) !== undefined;

  const receive = (frame: Frame) => {
    const result = readResult(frame);
    if (result === undefined) return parse(frame);
    // An id that nobody waits for is late or made up: dropped.
    const request = pending.take(result.id);
    if (result.depth <= MAX_DEPTH || request?.acceptsAnyDepth === true) request?.result(result);
    else request?.fail(tooDeep(request.method, MAX_DEPTH));
  };

  const parse = (frame: Frame) => {
    let message: unknown;
    try {
      message = parseFrame(frame);
    } catch (error) {
      return receiver.invalidMessage(toAppError(error), frame);
    }
    if (!Array.isArray(message))
      return dispatch(message, isForwardable(frame) ? frame : [Buffer.from(toOneLine(frame))]);
    if (receiver.batch !== undefined) return receiver.batch(message, toOneLine(frame));
    const bytes = frameBytes(frame);
    for (const [index, { start, end }] of scanElements(bytes).entries()) {
      const element = [bytes.subarray(start, end)];
      // A batch in a batch is nothing, however deep it goes on.
      if (Array.isArray(message[index])) dispatch(message[index], element);
      else receive(element);
    }
  };

  const dispatch = (message: unknown, frame: Frame) => {
    if (!isObject(message)) {
      return receiver.invalidMessage(new AppError('INVALID_REQUEST', 'A message must be a JSON object.'), frame);
    }
    switch (classify(message, isPending)) {
      case 'request':
        return receiver.request(message, frame);
      case 'notification':
        return receiver.notification(message, frame);
      case 'answer':
        return handleResponse(message, frame);
      case 'refused':
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

/** For an answer that some JSON parser on its way would refuse to read. */
export function tooDeep(method: string, maxDepth: number): AppError {
  return new AppError('BAD_ANSWER', `${method}: the answer is nested deeper than ${maxDepth} levels.`);
}

/** JSON has line breaks only between its parts, where a blank means the same: on one line it can be passed on. */
function toOneLine(frame: Frame): string {
  return frameText(frame)
    .replace(/[\r\n]/g, ' ')
    .trim();
}
