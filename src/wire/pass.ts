import { type Frame, frameLength, frameText } from './frame.ts';
import { isForwardable, type OutgoingMessage } from './json/splice.ts';

/** A message that goes on as it came; undefined when its bytes would break the line or the text of whoever reads it. */
export function toOutgoingMessage(frame: Frame): OutgoingMessage | undefined {
  if (!isForwardable(frame)) return undefined;
  const bytes = frameLength(frame);
  return bytes <= MAX_TEXT_BYTES ? frameText(frame) : { pieces: frame, bytes };
}

const MAX_TEXT_BYTES = 16 * 1024;
