import { type Frame, frameText } from '../wire/frame.ts';
import { isObject } from '../wire/messages.ts';

/** As much of a request as is needed to answer one that is written as usual. */
export interface PlainRequest {
  readonly method: unknown;
  readonly params: unknown;
  /** Undefined when it has none, or one that is not written as usual. */
  readonly idText: string | undefined;
}

/** Undefined when it is no message, or several: whoever knows more looks at it. */
export function readRequest(frame: Frame): PlainRequest | undefined {
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

export function hasCursor({ params }: PlainRequest): boolean {
  return isObject(params) && params['cursor'] !== undefined;
}
