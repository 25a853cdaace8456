import { AppError, messageOf } from '../base/errors.ts';
import { classify, whyRefused } from './classify.ts';
import { type Frame, frameBytes, frameText } from './frame.ts';
import { type Incoming, isObject } from './messages.ts';
import { type ResultFrame, readResult } from './read-result.ts';
import { scanElements } from './scan.ts';
import { createWaitingTable, type Waiting, type WaitingTable } from './waiting.ts';

/** Somebody who waits and can pass a result on without having it parsed. */
export interface Relayed extends Waiting {
  result(result: ResultFrame): void;
}

export interface LinkReceiver {
  request(message: Incoming, frame: Frame): void;
  notification(message: Incoming, frame: Frame): void;
  /** No message, or one that is neither asked for nor addressed to anybody. */
  unreadable(error: AppError, frame: Frame): void;
  /** Several messages in one; without it each is taken for itself. */
  batch?(messages: readonly unknown[], text: string): void;
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
    // An id that nobody waits for is late or made up: dropped.
    if (result !== undefined) waiting.take(result.id)?.result(result);
    else parse(frame);
  };

  const parse = (frame: Frame) => {
    const text = frameText(frame);
    let message: unknown;
    try {
      message = JSON.parse(text);
    } catch (cause) {
      const error = new AppError('PARSE_FAILED', `This line is not JSON: ${messageOf(cause)}`, { cause });
      return receiver.unreadable(error, frame);
    }
    if (!Array.isArray(message)) return dispatch(message, frame);
    if (receiver.batch !== undefined) return receiver.batch(message, text);
    const bytes = frameBytes(frame);
    for (const { start, end } of scanElements(bytes)) receive([bytes.subarray(start, end)]);
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
        return waiting.answer(message, frame);
      case 'refused':
        return receiver.unreadable(whyRefused(message), frame);
    }
  };

  return { waiting, receive, dispatch };
}
