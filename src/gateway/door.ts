import type { AppError } from '../base/errors.ts';
import type { StdioFront } from '../serve/fronts/stdio-front.ts';
import { type Frame, frameText } from '../wire/frame.ts';
import { isObject, RawJson, resultText } from '../wire/messages.ts';
import { greeting } from './greeting.ts';

/** Whoever takes over from the door. */
interface Resident {
  receive(frame: Frame): void;
  /** A request that has been answered already, and the answer. */
  receiveAnswered(frame: Frame, answer: string): void;
  fault(error: AppError, beginning?: Buffer): void;
  end(): void;
}

/**
 * The first thing that stands when the process starts. A client that says hello is answered before the gateway itself is
 * loaded, so that a start costs the same for one server and for two hundred; everything else waits for the gateway.
 */
export interface Door {
  /** Resolves when the client has said something, or has left. */
  readonly knocked: Promise<void>;
  /** Hands over what came, in order, and all that will come. */
  enter(resident: Resident): void;
}

export interface DoorOptions {
  readonly front: StdioFront;
  /** What a hello is answered with besides the usual; undefined: the gateway has to answer it itself. */
  readonly instructions: string | undefined;
  /** The tools as this client was last given them, as the JSON of a result; undefined when they may be others now. */
  readonly preparedList: (hello: unknown) => string | undefined;
}

/** A client that asks for nothing so long after its hello is not waited for: the gateway is loaded. */
const LIST_WITHIN_MS = 50;
const LOAD_AFTER_MS = 10;

export function openDoor({ front, instructions, preparedList }: DoorOptions): Door {
  const waiting: ((resident: Resident) => void)[] = [];
  let inside: Resident | undefined;
  let knock: () => void = () => {};
  const knocked = new Promise<void>((resolve) => {
    knock = resolve;
  });

  const hand = (event: (resident: Resident) => void) => {
    if (inside === undefined) waiting.push(event);
    else event(inside);
  };
  const deliver = (event: (resident: Resident) => void) => {
    hand(event);
    knock();
  };
  const answered = (frame: Frame, answer: string) => {
    front.send(answer);
    hand((resident) => resident.receiveAnswered(frame, answer));
  };

  /** What comes next, and how it is taken. */
  let take = (frame: Frame) => {
    take = pass;
    const hello = instructions === undefined ? undefined : readHello(frame);
    if (instructions === undefined || hello === undefined) return pass(frame);
    answered(frame, greeting(hello.idText, hello.params, instructions));
    const list = preparedList(hello.params);
    if (list === undefined) return knock();
    take = (second) => takeList(second, list);
    setTimeout(knock, LIST_WITHIN_MS).unref();
  };

  const pass = (frame: Frame) => deliver((resident) => resident.receive(frame));

  /** The gateway, which takes its time to be loaded, looks at the list afterwards. */
  const takeList = (frame: Frame, list: string) => {
    const request = readRequest(frame);
    if (request?.method === 'notifications/initialized') return hand((resident) => resident.receive(frame));
    take = pass;
    if (request?.method !== 'tools/list' || request.idText === undefined || hasCursor(request)) return pass(frame);
    answered(frame, resultText(request.idText, new RawJson(list)));
    // The client reads it first.
    setTimeout(knock, LOAD_AFTER_MS);
  };

  front.start({
    frame: (frame) => take(frame),
    fault: (error, beginning) => deliver((resident) => resident.fault(error, beginning)),
    end({ rest }) {
      // A last line without its line end is still a message.
      if (rest !== undefined) deliver((resident) => resident.receive(rest));
      deliver((resident) => resident.end());
    },
  });

  return {
    knocked,
    enter(resident) {
      inside = resident;
      for (const event of waiting.splice(0)) event(resident);
    },
  };
}

interface PlainRequest {
  readonly method: unknown;
  readonly params: unknown;
  /** Undefined when it has none, or one that is not written as usual. */
  readonly idText: string | undefined;
}

/** Undefined when it is no plain hello: whoever knows more looks at it. */
function readHello(frame: Frame): { readonly params: unknown; readonly idText: string } | undefined {
  const request = readRequest(frame);
  if (request?.method !== 'initialize' || request.idText === undefined) return undefined;
  return { params: request.params, idText: request.idText };
}

function readRequest(frame: Frame): PlainRequest | undefined {
  let message: unknown;
  try {
    message = JSON.parse(frameText(frame));
  } catch {
    // No message at all: the gateway says so.
    return undefined;
  }
  if (!isObject(message)) return undefined;
  const { id, method, params } = message;
  const isPlain = typeof id === 'string' || Number.isSafeInteger(id);
  return { method, params, idText: isPlain ? JSON.stringify(id) : undefined };
}

function hasCursor({ params }: PlainRequest): boolean {
  return isObject(params) && params['cursor'] !== undefined;
}
