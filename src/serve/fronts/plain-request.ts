import { type Frame, frameLength, frameText } from '../../wire/frame.ts';
import { MAX_DEPTH } from '../../wire/json-check/memory.ts';
import { isObject } from '../../wire/messages.ts';

/** As much of a request as is needed to answer one that is written as usual. */
export interface PlainRequest {
  readonly method: unknown;
  readonly params: unknown;
  /** Undefined when it has none, or one that is not written as usual. */
  readonly idText: string | undefined;
}

/** Undefined for an invalid message, a batch or a very long message; the full gateway handles those. */
export function parsePlainRequest(frame: Frame): PlainRequest | undefined {
  if (frameLength(frame) > MAX_LENGTH) return undefined;
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

/** No message of this length is nested deeper than `MAX_DEPTH`: each level takes at least two bytes. */
const MAX_LENGTH = 2 * MAX_DEPTH;

export function hasCursor({ params }: PlainRequest): boolean {
  return isObject(params) && params['cursor'] !== undefined;
}
