import { type Frame, frameLength, frameText } from './frame.ts';
import { isForwardable, type OutgoingMessage } from './json/splice.ts';

/** Returns a message to forward unchanged; undefined if its bytes would break the reader's framing or decoding. */
export function toOutgoingMessage(frame: Frame): OutgoingMessage | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameLength(frame);
  return bytes <= MAX_TEXT_BYTES ? frameText(frame) : { pieces: frame, bytes };
}

const MAX_TEXT_BYTES = 16 * 1024;
