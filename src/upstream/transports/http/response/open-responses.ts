import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type AppError, isAppError, toAppError } from '../../../../base/errors.ts';
import { decompress } from '../../../../net/decompress.ts';
import type { Frame } from '../../../../wire/frame.ts';
import type { ByteBudget } from '../../../../wire/stream/byte-budget.ts';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../../../../wire/stream/framing.ts';
import { type Body, readBody, WORTH_COUNTING } from './body.ts';
import { createEventStream } from './event-stream.ts';

/** Where a stream was when it ended. */
export interface StreamPlace {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

export type ReadEvents = (
  response: IncomingMessage,
  deliver: (frame: Frame) => void,
  /** Called once. `error`: the stream could not be read any further. */
  ended: (place: StreamPlace, error?: AppError) => void,
) => void;

/** Everything that is being read from one server, so that it can be held back together. */
export interface OpenResponses {
  readBody(response: IncomingMessage, done: (body: Body) => void): void;
  readonly readEvents: ReadEvents;
  /** Does it as soon as nothing is held back. */
  whenReading(work: () => void): void;
  pause(): void;
  resume(): void;
}

export interface ReadLimits {
  readonly maxMessageBytes?: number | undefined;
  /** What all servers together have begun to say and not ended. */
  readonly budget?: ByteBudget | undefined;
}

export function createOpenResponses({
  maxMessageBytes: maxBytes = DEFAULT_MAX_MESSAGE_BYTES,
  budget,
}: ReadLimits): OpenResponses {
  const open = new Set<Readable>();
  const heldBack: (() => void)[] = [];
  let isPaused = false;

  const follow = (stream: Readable) => {
    open.add(stream);
    if (isPaused) stream.pause();
  };

  return {
    readBody(response, done) {
      const stream = readBody(response, { maxBytes, budget }, (body) => {
        open.delete(stream);
        done(body);
      });
      follow(stream);
    },
    readEvents(response, deliver, ended) {
      const source = decompress(response);
      let place: StreamPlace = { lastEventId: undefined, retryMs: undefined };
      let share: ReturnType<ByteBudget['open']> | undefined;
      const over = (error?: AppError) => {
        share?.hold(0);
        if (open.delete(source)) ended(place, error);
      };
      const giveUp = (error: AppError) => {
        over(error);
        source.destroy();
      };
      const stream = createEventStream(
        {
          message: deliver,
          id(lastEventId) {
            place = { ...place, lastEventId };
          },
          retry(retryMs) {
            place = { ...place, retryMs };
          },
        },
        { maxBytes },
      );
      source.on('data', (chunk: Buffer) => {
        try {
          stream.push(chunk);
        } catch (error) {
          return giveUp(toAppError(error));
        }
        const held = stream.heldBytes();
        if (held > WORTH_COUNTING) share ??= budget?.open(giveUp);
        share?.hold(held);
      });
      source.on('close', () => over());
      // An interrupted stream can be resumed; one that cannot be decompressed cannot.
      source.on('error', (error) => over(isBadAnswer(error) ? error : undefined));
      follow(source);
    },
    whenReading(work) {
      if (isPaused) heldBack.push(work);
      else queueMicrotask(work);
    },
    pause() {
      isPaused = true;
      for (const stream of open) stream.pause();
    },
    resume() {
      isPaused = false;
      for (const work of heldBack.splice(0)) queueMicrotask(work);
      for (const stream of open) stream.resume();
    },
  };
}

function isBadAnswer(error: unknown): error is AppError {
  return isAppError(error) && error.code === 'BAD_ANSWER';
}
