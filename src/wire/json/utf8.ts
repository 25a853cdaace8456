import { isUtf8 } from 'node:buffer';
import type { Frame } from '../frame.ts';

/** Returns whether all pieces together are UTF-8: a character may be split between pieces. Copies only the seams. */
export function isUtf8Frame(frame: Frame): boolean {
  const [first] = frame;
  if (frame.length === 1 && first !== undefined) return isUtf8(first);
  const check = createUtf8Check();
  return frame.every(check.push) && check.isComplete();
}

/** Checks a frame piece by piece. */
export interface Utf8Check {
  /** Returns false if the bytes so far are not UTF-8. Do not push more after that. */
  push(piece: Buffer): boolean;
  /** Returns whether the bytes so far end at a character boundary. */
  isComplete(): boolean;
}

export function createUtf8Check(): Utf8Check {
  let carry: Buffer = NOTHING;
  return {
    push(piece) {
      const head = continuationBytes(piece);
      if (head > 0) carry = Buffer.concat([carry, piece.subarray(0, head)]);
      if (carry.length > MAX_CHARACTER_BYTES) return false;
      if (head === piece.length) return true;
      if (carry.length > 0 && !isUtf8(carry)) return false;
      const end = piece.length - unfinishedBytes(piece);
      // Nearly every piece consists of whole characters.
      if (head === 0 && end === piece.length) {
        carry = NOTHING;
        return isUtf8(piece);
      }
      carry = piece.subarray(end);
      return isUtf8(piece.subarray(head, end));
    },
    isComplete: () => isUtf8(carry),
  };
}

const MAX_CHARACTER_BYTES = 4;
const NOTHING = Buffer.alloc(0);

/** Counts the bytes at the start that belong to a character begun earlier: at most three. */
function continuationBytes(piece: Buffer): number {
  let count = 0;
  while (count < 3 && isContinuation(piece[count])) count++;
  return count;
}

/** Counts the bytes at the end that begin a character which this piece does not finish: at most three. */
function unfinishedBytes(piece: Buffer): number {
  for (let back = 1; back <= 3; back++) {
    const byte = piece[piece.length - back];
    if (byte === undefined) return 0;
    if (isContinuation(byte)) continue;
    const needed = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1;
    return needed > back ? back : 0;
  }
  return 0;
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}
