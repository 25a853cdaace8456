import type { AppError } from '../../base/errors.ts';
import { hasCursor, parsePlainRequest } from '../../serve/fronts/plain-request.ts';
import type { StdioFront } from '../../serve/fronts/stdio-front.ts';
import type { Frame } from '../../wire/frame.ts';
import { RawJson, resultText } from '../../wire/messages.ts';
import type { SnapshotResponses } from '../cache/list-snapshot.ts';
import { initializeResponse } from './gateway-info.ts';

/** Receives the messages once the gateway is loaded. */
interface MessageReceiver {
  receive(frame: Frame): void;
  /** Receives a request that was already answered, and its response. */
  receiveAlreadyAnswered(frame: Frame, answer: string): void;
  fault(error: AppError, beginning?: Buffer): void;
  end(): void;
}

/**
 * Reads stdin before the gateway is loaded. It answers `initialize`, and with a snapshot also `tools/list`, so that a
 * start takes the same time for one server and for two hundred. All other messages wait for the gateway.
 */
export interface EarlyResponder {
  /**
   * Resolves when the gateway should be loaded: the client needs it, has disconnected, or has stopped sending requests.
   */
  readonly firstMessage: Promise<void>;
  /** Delivers all queued messages in order, and all later ones, to the gateway. */
  handOver(resident: MessageReceiver): void;
}

export interface EarlyResponderOptions {
  readonly front: StdioFront;
  /** Returns the last responses to this client, or undefined if they may be stale. */
  readonly snapshot: (initializeParams: unknown) => SnapshotResponses | undefined;
  /** Returns the instructions for an `initialize` without a snapshot, or undefined if the gateway must answer it. */
  readonly instructions: () => string | undefined;
}

/** How long to wait for `tools/list` after `initialize` before loading the gateway anyway. */
const LIST_WITHIN_MS = 50;
const LOAD_AFTER_MS = 10;

export function openEarlyResponder({ front, snapshot, instructions }: EarlyResponderOptions): EarlyResponder {
  const queued: ((target: MessageReceiver) => void)[] = [];
  let receiver: MessageReceiver | undefined;
  let resolveFirstMessage: () => void = () => {};
  const firstMessage = new Promise<void>((resolve) => {
    resolveFirstMessage = resolve;
  });

  const deliverLater = (event: (target: MessageReceiver) => void) => {
    if (receiver === undefined) queued.push(event);
    else event(receiver);
  };
  const deliverAndLoad = (event: (target: MessageReceiver) => void) => {
    deliverLater(event);
    resolveFirstMessage();
  };
  const answer = (frame: Frame, text: string) => {
    front.send(text);
    deliverLater((target) => target.receiveAlreadyAnswered(frame, text));
  };

  const forward = (frame: Frame) => deliverAndLoad((target) => target.receive(frame));

  const handleInitialize = (frame: Frame) => {
    handleNext = forward;
    const initializeRequest = parsePlainRequest(frame);
    if (initializeRequest?.method !== 'initialize' || initializeRequest.idText === undefined) return forward(frame);
    const snapshotResponses = snapshot(initializeRequest.params);
    const text = snapshotResponses?.instructions ?? instructions();
    if (text === undefined) return forward(frame);
    answer(frame, initializeResponse(initializeRequest.idText, initializeRequest.params, text));
    if (snapshotResponses === undefined) return resolveFirstMessage();
    handleNext = (next) => handleListRequest(next, snapshotResponses.result);
    setTimeout(resolveFirstMessage, LIST_WITHIN_MS).unref();
  };

  /** Answers `tools/list` from the snapshot. The gateway verifies the list after it is loaded. */
  const handleListRequest = (frame: Frame, list: string) => {
    const request = parsePlainRequest(frame);
    if (request?.method === 'notifications/initialized') return deliverLater((target) => target.receive(frame));
    handleNext = forward;
    if (request?.method !== 'tools/list' || request.idText === undefined || hasCursor(request)) return forward(frame);
    answer(frame, resultText(request.idText, new RawJson(list)));
    // Lets the client read the response before loading blocks the process.
    setTimeout(resolveFirstMessage, LOAD_AFTER_MS);
  };

  /** Handles the next message. */
  let handleNext: (frame: Frame) => void = handleInitialize;
  front.start({
    frame: (frame) => handleNext(frame),
    reportError: (error, head) => deliverAndLoad((target) => target.fault(error, head)),
    end({ rest }) {
      // A last line without a line break is still a message.
      if (rest !== undefined) handleNext(rest);
      deliverAndLoad((target) => target.end());
    },
  });

  return {
    firstMessage,
    handOver(target) {
      receiver = target;
      // The loaded gateway has newer data than a snapshot of an earlier run.
      if (handleNext !== handleInitialize) handleNext = forward;
      for (const event of queued.splice(0)) event(target);
    },
  };
}
