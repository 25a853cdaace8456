/**
 * One message as it arrived: its bytes in order, without framing, never empty.
 * Usually one buffer; a long message keeps the pieces in which it came, so that nothing is copied on its way through.
 */
export type Frame = readonly Buffer[];

export function frameText(frame: Frame): string {
  return frameBytes(frame).toString('utf8');
}

/** The frame in one buffer: copies only when it came in pieces. */
export function frameBytes(frame: Frame): Buffer {
  const [first] = frame;
  return frame.length === 1 && first !== undefined ? first : Buffer.concat(frame);
}

export function frameLength(frame: Frame): number {
  let bytes = 0;
  for (const piece of frame) bytes += piece.length;
  return bytes;
}
