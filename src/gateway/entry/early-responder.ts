import type { AppError } from '../../base/errors.ts';
import type { StdioFront } from '../../serve/fronts/stdio-front.ts';
import type { Frame } from '../../wire/frame.ts';
import { RawJson, resultText } from '../../wire/messages.ts';
import type { PreparedAnswers } from '../cache/list-snapshot.ts';
import { hasCursor, readRequest } from '../plain-request.ts';
import { greeting } from './gateway-info.ts';

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
  /** What this client was last answered with; undefined when that may be wrong now. */
  readonly prepared: (hello: unknown) => PreparedAnswers | undefined;
  /** For a hello without prepared answers; undefined: the gateway has to answer it itself. */
  readonly instructions: () => string | undefined;
}

/** A client that asks for nothing so long after its hello is not waited for: the gateway is loaded. */
const LIST_WITHIN_MS = 50;
const LOAD_AFTER_MS = 10;

export function openDoor({ front, prepared, instructions }: DoorOptions): Door {
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
  const answer = (frame: Frame, text: string) => {
    front.send(text);
    hand((resident) => resident.receiveAnswered(frame, text));
  };

  const pass = (frame: Frame) => deliver((resident) => resident.receive(frame));

  const takeHello = (frame: Frame) => {
    take = pass;
    const hello = readRequest(frame);
    if (hello?.method !== 'initialize' || hello.idText === undefined) return pass(frame);
    const answers = prepared(hello.params);
    const text = answers?.instructions ?? instructions();
    if (text === undefined) return pass(frame);
    answer(frame, greeting(hello.idText, hello.params, text));
    if (answers === undefined) return knock();
    take = (next) => takeList(next, answers.result);
    setTimeout(knock, LIST_WITHIN_MS).unref();
  };

  /** The gateway, which takes its time to be loaded, looks at the list afterwards. */
  const takeList = (frame: Frame, list: string) => {
    const request = readRequest(frame);
    if (request?.method === 'notifications/initialized') return hand((resident) => resident.receive(frame));
    take = pass;
    if (request?.method !== 'tools/list' || request.idText === undefined || hasCursor(request)) return pass(frame);
    answer(frame, resultText(request.idText, new RawJson(list)));
    // The client reads it first.
    setTimeout(knock, LOAD_AFTER_MS);
  };

  /** How the next message is taken. */
  let take: (frame: Frame) => void = takeHello;
  front.start({
    frame: (frame) => take(frame),
    fault: (error, beginning) => deliver((resident) => resident.fault(error, beginning)),
    end({ rest }) {
      // A last line without its line end is still a message.
      if (rest !== undefined) take(rest);
      deliver((resident) => resident.end());
    },
  });

  return {
    knocked,
    enter(resident) {
      inside = resident;
      // Whoever is inside knows more than any list of an earlier run.
      if (take !== takeHello) take = pass;
      for (const event of waiting.splice(0)) event(resident);
    },
  };
}
