import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type AppError, isAppError, toAppError } from '../../../../base/errors.ts';
import { decompress } from '../../../../net/decompress.ts';
import type { Frame } from '../../../../wire/frame.ts';
import type { ByteBudget } from '../../../../wire/stream/byte-budget.ts';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../../../../wire/stream/framing.ts';
import { type Body, BUDGET_THRESHOLD_BYTES, readBody } from './body.ts';
import { createEventStream } from './event-stream.ts';

/** Position of a stream when it ended. */
export interface StreamPosition {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

export type ReadEvents = (
  response: IncomingMessage,
  deliver: (frame: Frame) => void,
  /** Called once. `error` is set if the stream became unreadable. */
  ended: (position: StreamPosition, error?: AppError) => void,
) => void;

/** All responses being read from one server, which can be paused together. */
export interface OpenResponses {
  readBody(response: IncomingMessage, done: (body: Body) => void): void;
  readonly readEvents: ReadEvents;
  /** Runs the work as soon as reading is not paused. */
  whenNotPaused(work: () => void): void;
  pause(): void;
  resume(): void;
}

export interface ReadLimits {
  readonly maxMessageBytes?: number | undefined;
  /** Shared limit on incomplete messages of all servers. */
  readonly budget?: ByteBudget | undefined;
}

export function createOpenResponses({
  maxMessageBytes: maxBytes = DEFAULT_MAX_MESSAGE_BYTES,
  budget,
}: ReadLimits): OpenResponses {
  const open = new Set<Readable>();
  const deferred: (() => void)[] = [];
  let isPaused = false;

  const track = (stream: Readable) => {
    open.add(stream);
    if (isPaused) stream.pause();
  };

  return {
    readBody(response, done) {
      const stream = readBody(response, { maxBytes, budget }, (body) => {
        open.delete(stream);
        done(body);
      });
      track(stream);
    },
    readEvents(response, deliver, ended) {
      const source = decompress(response);
      let position: StreamPosition = { lastEventId: undefined, retryMs: undefined };
      let share: ReturnType<ByteBudget['open']> | undefined;
      const finish = (error?: AppError) => {
        share?.update(0);
        if (open.delete(source)) ended(position, error);
      };
      const giveUp = (error: AppError) => {
        finish(error);
        source.destroy();
      };
      const stream = createEventStream(
        {
          message: deliver,
          id(lastEventId) {
            position = { ...position, lastEventId };
          },
          retry(retryMs) {
            position = { ...position, retryMs };
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
        if (held > BUDGET_THRESHOLD_BYTES) share ??= budget?.open(giveUp);
        share?.update(held);
      });
      source.on('close', () => finish());
      // An interrupted stream can be resumed; one that cannot be decompressed cannot.
      source.on('error', (error) => finish(isBadAnswer(error) ? error : undefined));
      track(source);
    },
    whenNotPaused(work) {
      if (isPaused) deferred.push(work);
      else queueMicrotask(work);
    },
    pause() {
      isPaused = true;
      for (const stream of open) stream.pause();
    },
    resume() {
      isPaused = false;
      for (const work of deferred.splice(0)) queueMicrotask(work);
      for (const stream of open) stream.resume();
    },
  };
}

function isBadAnswer(error: unknown): error is AppError {
  return isAppError(error) && error.code === 'BAD_ANSWER';
}
