import { AppError } from '../base/errors.ts';
import type { Framer, FrameSink } from './framing.ts';

/**
 * Lines of JSON. Each byte is looked at once and copied at most once, whatever the chunks are.
 * `\r\n` ends a line too, blank lines are passed over, a line over the limit is dropped with a fault.
 */
export function createLineSplitter(sink: FrameSink, maxBytes: number): Framer {
  const line = createPieces();
  let dropping = false;

  const finish = (piece: Buffer) => {
    if (line.bytes() + piece.length > maxBytes && !dropping) report(line.bytes() + piece.length);
    if (dropping) {
      dropping = false;
      return;
    }
    line.add(piece);
    emit(line.take());
  };

  const emit = (pieces: Buffer[]) => {
    const whole = withoutReturn(pieces);
    if (!isBlank(whole)) sink.frame(whole);
  };

  const keep = (piece: Buffer) => {
    if (dropping) return;
    line.add(piece);
    if (line.bytes() > maxBytes) report(line.bytes());
  };

  const report = (bytes: number) => {
    dropping = true;
    line.take();
    sink.fault(new AppError('MESSAGE_TOO_LARGE', `A line of ${bytes} bytes or more is over the limit of ${maxBytes}.`, { data: { maxBytes } }));
  };

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
        const piece = chunk.subarray(from, at);
        // Nearly every line lies whole in one chunk.
        if (line.bytes() === 0 && !dropping && piece.length <= maxBytes) emit([piece]);
        else finish(piece);
        from = at + 1;
      }
      if (from < chunk.length) keep(from === 0 ? chunk : chunk.subarray(from));
    },
    end() {
      const rest = line.take();
      return isBlank(rest) ? undefined : rest;
    },
  };
}

const LF = 10;
const CR = 13;
const OPENING_BRACE = 123;
/** Many tiny pieces are joined this often, so that a line sent byte by byte does not cost a buffer per byte. */
const JOIN_EVERY = 256;
const TINY_BYTES = 4096;

function createPieces() {
  let pieces: Buffer[] = [];
  let joined = 0;
  let total = 0;
  let sinceJoin = 0;
  return {
    bytes: () => total,
    add(piece: Buffer) {
      if (piece.length === 0) return;
      pieces.push(piece);
      total += piece.length;
      sinceJoin += piece.length;
      if (pieces.length - joined < JOIN_EVERY) return;
      // Joining only what came since the last time keeps the whole linear.
      if (sinceJoin < JOIN_EVERY * TINY_BYTES) pieces.push(Buffer.concat(pieces.splice(joined)));
      joined = pieces.length;
      sinceJoin = 0;
    },
    take(): Buffer[] {
      const taken = pieces;
      pieces = [];
      joined = total = sinceJoin = 0;
      return taken;
    },
  };
}

function withoutReturn(pieces: Buffer[]): Buffer[] {
  const last = pieces.at(-1);
  if (last === undefined || last[last.length - 1] !== CR) return pieces;
  pieces.pop();
  if (last.length > 1) pieces.push(last.subarray(0, -1));
  return pieces;
}

function isBlank(pieces: readonly Buffer[]): boolean {
  if (pieces[0]?.[0] === OPENING_BRACE) return false;
  return pieces.every((piece) => piece.every((byte) => byte === 32 || byte === 9 || byte === CR));
}
