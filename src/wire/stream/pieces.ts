/** The bytes of a message that is being received. Copies each byte at most once, and never keeps a buffer per byte. */
export interface Pieces {
  readonly bytes: number;
  add(piece: Buffer): void;
  /** Returns all pieces and starts again without any. */
  take(): Buffer[];
}

/** Many tiny pieces are joined this often, so that a message sent byte by byte does not cost a buffer per byte. */
const JOIN_EVERY = 256;
const TINY_BYTES = 4096;

export function createPieces(): Pieces {
  let pieces: Buffer[] = [];
  let joined = 0;
  let total = 0;
  let sinceJoin = 0;
  return {
    get bytes() {
      return total;
    },
    add(piece) {
      if (piece.length === 0) return;
      pieces.push(piece);
      total += piece.length;
      sinceJoin += piece.length;
      if (pieces.length - joined < JOIN_EVERY) return;
      // Joining only the pieces since the last join keeps the total cost linear.
      if (sinceJoin < JOIN_EVERY * TINY_BYTES) pieces.push(Buffer.concat(pieces.splice(joined)));
      joined = pieces.length;
      sinceJoin = 0;
    },
    take() {
      const taken = pieces;
      pieces = [];
      joined = total = sinceJoin = 0;
      return taken;
    },
  };
}
