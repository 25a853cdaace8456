import { AppError, toAppError } from '../../base/errors.ts';
import { type Frame, frameBytes, frameText } from '../frame.ts';
import { scanElements } from '../json/scan.ts';
import { isForwardable } from '../json/splice.ts';
import { MAX_DEPTH } from '../json-check/json-check.ts';
import { type Incoming, isObject } from '../messages.ts';
import { parseFrame } from '../parse-frame.ts';
import { classify, whyRefused } from '../rpc/classify.ts';
import { createWaitingTable, type Waiting, type WaitingTable } from '../rpc/pending-requests.ts';
import { type ResultFrame, readResult } from './read-result.ts';

/** Somebody who waits and can pass a result on without having it parsed. */
export interface Relayed extends Waiting {
  result(result: ResultFrame): void;
  /** Takes a result however deep it is nested. What is that deep has not been checked to be JSON. */
  readonly readsAnyDepth?: boolean;
}

export interface LinkReceiver {
  request(message: Incoming, frame: Frame): void;
  notification(message: Incoming, frame: Frame): void;
  /** No message, or one that is neither asked for nor addressed to anybody. */
  unreadable(error: AppError, frame: Frame): void;
  /** Several messages in one; without it each is taken for itself. */
  batch?(messages: readonly unknown[], text: string): void;
  /** Puts another in the place of an error answer; without it each is handed on as it came. */
  replaceError?(message: Incoming, frame: Frame): { readonly message: Incoming; readonly frame: Frame };
  /** The time of this one is over. */
  expired(id: number, who: Relayed): void;
}

/** One side of a relay: messages come as bytes, are told apart, and go on as bytes. */
export interface Link {
  readonly waiting: WaitingTable<Relayed>;
  receive(frame: Frame): void;
  /** What `receive` does with a message that is parsed already. */
  dispatch(message: unknown, frame: Frame): void;
}

export function createLink(receiver: LinkReceiver): Link {
  const waiting = createWaitingTable<Relayed>(receiver.expired);
  const isWaitingFor = (id: unknown) => waiting.find(id) !== undefined;

  const receive = (frame: Frame) => {
    const result = readResult(frame);
    if (result === undefined) return parse(frame);
    // An id that nobody waits for is late or made up: dropped.
    const who = waiting.take(result.id);
    if (result.depth <= MAX_DEPTH || who?.readsAnyDepth === true) who?.result(result);
    else who?.fail(tooDeep(who.method, MAX_DEPTH));
  };

  const parse = (frame: Frame) => {
    let message: unknown;
    try {
      message = parseFrame(frame);
    } catch (error) {
      return receiver.unreadable(toAppError(error), frame);
    }
    if (!Array.isArray(message))
      return dispatch(message, isForwardable(frame) ? frame : [Buffer.from(onOneLine(frame))]);
    if (receiver.batch !== undefined) return receiver.batch(message, onOneLine(frame));
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
      return receiver.unreadable(new AppError('INVALID_REQUEST', 'A message must be a JSON object.'), frame);
    }
    switch (classify(message, isWaitingFor)) {
      case 'request':
        return receiver.request(message, frame);
      case 'notification':
        return receiver.notification(message, frame);
      case 'answer':
        return answer(message, frame);
      case 'refused':
        return receiver.unreadable(whyRefused(message), frame);
    }
  };

  const answer = (message: Incoming, frame: Frame) => {
    if (message.error === undefined || receiver.replaceError === undefined) return waiting.answer(message, frame);
    const replaced = receiver.replaceError(message, frame);
    waiting.answer(replaced.message, replaced.frame);
  };

  return { waiting, receive, dispatch };
}

/** For an answer that some JSON parser on its way would refuse to read. */
export function tooDeep(method: string, maxDepth: number): AppError {
  return new AppError('BAD_ANSWER', `${method}: the answer is nested deeper than ${maxDepth} levels.`);
}

/** JSON has line breaks only between its parts, where a blank means the same: on one line it can be passed on. */
function onOneLine(frame: Frame): string {
  return frameText(frame)
    .replace(/[\r\n]/g, ' ')
    .trim();
}
