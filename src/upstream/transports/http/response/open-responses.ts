import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import type { AppError } from '../../../../base/errors.ts';
import type { Frame } from '../../../../wire/frame.ts';
import type { ByteBudget } from '../../../../wire/stream/byte-budget.ts';
import { DEFAULT_MAX_MESSAGE_BYTES } from '../../../../wire/stream/framing.ts';
import { createPausable } from '../../pausable.ts';
import { type Body, readBody } from './body.ts';
import { readEvents, type StreamPosition } from './read-events.ts';

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
  const pausable = createPausable();

  const track = (stream: Readable) => {
    open.add(stream);
    if (pausable.isPaused) stream.pause();
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
      const stream = readEvents(response, { message: deliver }, { maxBytes, budget }, (position, error) => {
        open.delete(stream);
        // An interrupted stream can be resumed; one that cannot be decompressed cannot.
        ended(position, error?.code === 'CONNECTION_CLOSED' ? undefined : error);
      });
      track(stream);
    },
    whenNotPaused: pausable.whenNotPaused,
    pause() {
      pausable.pause();
      for (const stream of open) stream.pause();
    },
    resume() {
      pausable.resume();
      for (const stream of open) stream.resume();
    },
  };
}
