import { AppError } from '../../base/errors.ts';
import type { FrameLimits, Framer, FrameSink } from './framing.ts';
import { createPieces } from './pieces.ts';

/**
 * Splits a stream into lines of JSON. Reads each byte once and copies it at most once, wherever the chunks are split.
 * `\r\n` ends a line too. Blank lines are skipped. A line over the limit is dropped and reported.
 */
export function createLineSplitter(sink: FrameSink, { maxBytes, budget }: FrameLimits): Framer {
  const line = createPieces();
  const share = budget?.open((error) => drop(error));
  let dropping = false;
  /** The last bytes of the line that is being dropped. */
  let ending: Buffer = NOTHING;

  const take = () => {
    share?.update(0);
    return line.take();
  };

  const finish = (piece: Buffer) => {
    append(piece);
    if (dropping) sink.oversizedEnded?.(ending);
    else emit(take());
    dropping = false;
    ending = NOTHING;
  };

  const emit = (pieces: Buffer[]) => {
    const whole = stripCarriageReturn(pieces);
    if (!isBlank(whole)) sink.frame(whole);
  };

  const append = (piece: Buffer) => {
    if (dropping) {
      ending = lastBytes([ending, piece]);
      return;
    }
    line.add(piece);
    if (line.bytes <= maxBytes) share?.update(line.bytes);
    else drop(tooLong(maxBytes));
  };

  const drop = (error: AppError) => {
    dropping = true;
    // The id of the message is in its first bytes or in its last.
    const pieces = take();
    ending = lastBytes(pieces.slice(-2));
    sink.reportError(error, firstBytes(pieces));
  };

  return {
    push(chunk) {
      let from = 0;
      for (let at = chunk.indexOf(LF); at !== -1; at = chunk.indexOf(LF, from)) {
        const piece = chunk.subarray(from, at);
        // Nearly every line is contained in one chunk.
        if (line.bytes === 0 && !dropping && piece.length <= maxBytes) emit([piece]);
        else finish(piece);
        from = at + 1;
      }
      if (from < chunk.length) append(from === 0 ? chunk : chunk.subarray(from));
    },
    end() {
      const rest = stripCarriageReturn(take());
      return isBlank(rest) ? undefined : rest;
    },
  };
}

const EDGE_BYTES = 256;
const NOTHING = Buffer.alloc(0);
const LF = 10;
const CR = 13;
const OPENING_BRACE = 123;

function tooLong(maxBytes: number): AppError {
  return new AppError('MESSAGE_TOO_LARGE', `A line is over the limit of ${maxBytes} bytes.`, { data: { maxBytes } });
}

/** Returns a copy, so that the chunks can be freed. */
function lastBytes(pieces: readonly Buffer[]): Buffer {
  const edges = pieces.map((piece) => piece.subarray(Math.max(0, piece.length - EDGE_BYTES)));
  const joined = Buffer.concat(edges);
  return joined.subarray(Math.max(0, joined.length - EDGE_BYTES));
}

function firstBytes(pieces: readonly Buffer[]): Buffer {
  const needed: Buffer[] = [];
  let bytes = 0;
  for (const piece of pieces) {
    if (bytes >= EDGE_BYTES) break;
    needed.push(piece);
    bytes += piece.length;
  }
  return Buffer.concat(needed).subarray(0, EDGE_BYTES);
}

function stripCarriageReturn(pieces: Buffer[]): Buffer[] {
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
