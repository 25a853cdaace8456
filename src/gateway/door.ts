import type { AppError } from '../base/errors.ts';
import type { StdioFront } from '../serve/fronts/stdio-front.ts';
import { type Frame, frameText } from '../wire/frame.ts';
import { isObject } from '../wire/messages.ts';
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
}

export function openDoor({ front, instructions }: DoorOptions): Door {
  const waiting: ((resident: Resident) => void)[] = [];
  let inside: Resident | undefined;
  let knock: () => void = () => {};
  const knocked = new Promise<void>((resolve) => {
    knock = resolve;
  });

  const deliver = (event: (resident: Resident) => void) => {
    if (inside !== undefined) return event(inside);
    waiting.push(event);
    knock();
  };

  const first = (frame: Frame) => {
    const answer = instructions === undefined ? undefined : answerHello(frame, instructions);
    if (answer === undefined) return deliver((resident) => resident.receive(frame));
    front.send(answer);
    deliver((resident) => resident.receiveAnswered(frame, answer));
  };

  let isFirst = true;
  front.start({
    frame(frame) {
      if (!isFirst) return deliver((resident) => resident.receive(frame));
      isFirst = false;
      first(frame);
    },
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

/** Undefined when it is no plain hello: whoever knows more looks at it. */
function answerHello(frame: Frame, instructions: string): string | undefined {
  let message: unknown;
  try {
    message = JSON.parse(frameText(frame));
  } catch {
    // No message at all: the gateway says so.
    return undefined;
  }
  if (!isObject(message) || message['method'] !== 'initialize') return undefined;
  const { id, params } = message;
  const isPlain = typeof id === 'string' || Number.isSafeInteger(id);
  return isPlain ? greeting(JSON.stringify(id), params, instructions) : undefined;
}
