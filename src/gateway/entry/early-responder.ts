import type { AppError } from '../../base/errors.ts';
import { hasCursor, parsePlainRequest } from '../../serve/fronts/plain-request.ts';
import type { StdioFront } from '../../serve/fronts/stdio-front.ts';
import type { Frame } from '../../wire/frame.ts';
import { RawJson, resultText } from '../../wire/messages.ts';
import type { SnapshotResponses } from '../cache/list-snapshot.ts';
import { initializeResponse } from './gateway-info.ts';

/** Whoever takes over from the door. */
interface MessageReceiver {
  receive(frame: Frame): void;
  /** A request that has been answered already, and the answer. */
  receiveAlreadyAnswered(frame: Frame, answer: string): void;
  fault(error: AppError, beginning?: Buffer): void;
  end(): void;
}

/**
 * The first thing that stands when the process starts. A client that says hello is answered before the gateway itself is
 * loaded, so that a start costs the same for one server and for two hundred; everything else waits for the gateway.
 */
export interface EarlyResponder {
  /** Resolves when the client has said something, or has left. */
  readonly firstMessage: Promise<void>;
  /** Hands over what came, in order, and all that will come. */
  handOver(resident: MessageReceiver): void;
}

export interface EarlyResponderOptions {
  readonly front: StdioFront;
  /** What this client was last answered with; undefined when that may be wrong now. */
  readonly snapshot: (initializeParams: unknown) => SnapshotResponses | undefined;
  /** For a hello without prepared answers; undefined: the gateway has to answer it itself. */
  readonly instructions: () => string | undefined;
}

/** A client that asks for nothing so long after its hello is not waited for: the gateway is loaded. */
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

  /** The gateway, which takes its time to be loaded, looks at the list afterwards. */
  const handleListRequest = (frame: Frame, list: string) => {
    const request = parsePlainRequest(frame);
    if (request?.method === 'notifications/initialized') return deliverLater((target) => target.receive(frame));
    handleNext = forward;
    if (request?.method !== 'tools/list' || request.idText === undefined || hasCursor(request)) return forward(frame);
    answer(frame, resultText(request.idText, new RawJson(list)));
    // The client reads it first.
    setTimeout(resolveFirstMessage, LOAD_AFTER_MS);
  };

  /** How the next message is taken. */
  let handleNext: (frame: Frame) => void = handleInitialize;
  front.start({
    frame: (frame) => handleNext(frame),
    reportError: (error, head) => deliverAndLoad((target) => target.fault(error, head)),
    end({ rest }) {
      // A last line without its line end is still a message.
      if (rest !== undefined) handleNext(rest);
      deliverAndLoad((target) => target.end());
    },
  });

  return {
    firstMessage,
    handOver(target) {
      receiver = target;
      // Whoever is inside knows more than any list of an earlier run.
      if (handleNext !== handleInitialize) handleNext = forward;
      for (const event of queued.splice(0)) event(target);
    },
  };
}
