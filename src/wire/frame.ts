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

/** Searches each piece and each boundary between two, so that a large frame is not joined. */
export function frameIncludes(frame: Frame, word: string): boolean {
  return frame.some((piece, index) => {
    const next = frame[index + 1];
    if (piece.includes(word)) return true;
    if (next === undefined) return false;
    const border = Buffer.concat([piece.subarray(-word.length), next.subarray(0, word.length)]);
    return border.includes(word);
  });
}
