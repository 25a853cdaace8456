import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { type AppError, isAppError, toAppError } from '../../../../base/errors.ts';
import { decompress } from '../../../../net/decompress.ts';
import type { ByteBudget } from '../../../../wire/stream/byte-budget.ts';
import { type BodyLimits, BUDGET_THRESHOLD_BYTES } from './body.ts';
import { createEventStream, type EventSink } from './event-stream.ts';

/** Position of a stream when it ended. */
export interface StreamPosition {
  readonly lastEventId: string | undefined;
  readonly retryMs: number | undefined;
}

/**
 * Reads the events of a response until it ends, breaks, or exceeds a limit. `ended` is called once; its error is set if
 * the events could not be read or decompressed. Returns the stream, which the caller may pause.
 */
export function readEvents(
  response: IncomingMessage,
  sink: Pick<EventSink, 'message' | 'named'>,
  { maxBytes, budget }: BodyLimits,
  ended: (position: StreamPosition, error?: AppError) => void,
): Readable {
  const source = decompress(response);
  let position: StreamPosition = { lastEventId: undefined, retryMs: undefined };
  let share: ReturnType<ByteBudget['open']> | undefined;
  let hasEnded = false;
  const finish = (error?: AppError) => {
    share?.update(0);
    if (hasEnded) return;
    hasEnded = true;
    ended(position, error);
  };
  const giveUp = (error: AppError) => {
    finish(error);
    source.destroy();
  };
  const stream = createEventStream(
    {
      ...sink,
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
  source.on('error', (error) => finish(isAppError(error) ? error : undefined));
  return source;
}
