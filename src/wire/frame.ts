/**
 * One message as received: its bytes in order, without framing, never empty.
 * Usually one buffer. A long message keeps the pieces in which it arrived, so that forwarding it copies nothing.
 */
export type Frame = readonly Buffer[];

export function frameText(frame: Frame): string {
  return frameBytes(frame).toString('utf8');
}

/** Returns the frame as one buffer. Copies only if it has several pieces. */
export function frameBytes(frame: Frame): Buffer {
  const [first] = frame;
  return frame.length === 1 && first !== undefined ? first : Buffer.concat(frame);
}

export function frameLength(frame: Frame): number {
  let bytes = 0;
  for (const piece of frame) bytes += piece.length;
  return bytes;
}
