import { type Frame, frameLength, frameText } from '../../wire/frame.ts';
import { MAX_DEPTH } from '../../wire/json-check/memory.ts';
import { isObject } from '../../wire/messages.ts';

/** The parts of a request that are needed to answer it in the common case. */
export interface PlainRequest {
  readonly method: unknown;
  readonly params: unknown;
  /** The id as JSON text. Undefined if it is missing, `-0`, or neither a string nor a safe integer. */
  readonly idText: string | undefined;
}

/**
 * Parses a request. Returns undefined for an invalid message, a batch or a very long message; the loaded
 * server handles those.
 */
export function parsePlainRequest(frame: Frame): PlainRequest | undefined {
  if (frameLength(frame) > MAX_LENGTH) return undefined;
  let message: unknown;
  try {
    message = JSON.parse(frameText(frame));
  } catch {
    // Not valid JSON: the loaded server reports the error.
    return undefined;
  }
  if (!isObject(message)) return undefined;
  const { id, method, params } = message;
  // `-0` would be written as `0`.
  const isPlain = typeof id === 'string' || (Number.isSafeInteger(id) && !Object.is(id, -0));
  return { method, params, idText: isPlain ? JSON.stringify(id) : undefined };
}

/** No message of this length is nested deeper than `MAX_DEPTH`: each level takes at least two bytes. */
const MAX_LENGTH = 2 * MAX_DEPTH;

export function hasCursor({ params }: PlainRequest): boolean {
  return isObject(params) && params['cursor'] !== undefined;
}
