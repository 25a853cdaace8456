import { AppError } from '../../base/errors.ts';
import type { FrameLimits, Framer, FrameSink } from './framing.ts';
import { createPieces } from './pieces.ts';

/**
 * Splits a stream into messages with `Content-Length` headers, as language servers frame them.
 * A header without a length is reported and skipped, because the next one may be valid. So is a body over the limit.
 */
export function createContentLengthSplitter(sink: FrameSink, { maxBytes, budget }: FrameLimits): Framer {
  const header = createHeader();
  const body = createPieces();
  const share = budget?.open((error) => drop(error));
  let bodyBytesLeft = 0;
  let bytesToSkip = 0;

  const readHeader = (chunk: Buffer): Buffer => {
    const { used, outcome } = header.push(chunk);
    if (outcome === 'ended') beginBody(header.take());
    if (outcome === 'endless') {
      header.take();
      sink.reportError(new AppError('BAD_FRAME', `A header did not end within ${MAX_HEADER_BYTES} bytes.`));
    }
    return chunk.subarray(used);
  };

  const beginBody = (text: string) => {
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*\r?$/im.exec(text)?.[1];
    if (length === undefined) {
      const shown = JSON.stringify(text.trim().slice(0, 80));
      if (text.trim() !== '') sink.reportError(new AppError('BAD_FRAME', `A header without Content-Length: ${shown}`));
      return;
    }
    const bytes = Number(length);
    if (bytes <= maxBytes) {
      bodyBytesLeft = bytes;
      return;
    }
    bytesToSkip = bytes;
    const message = `A message of ${bytes} bytes is over the limit of ${maxBytes}.`;
    sink.reportError(new AppError('MESSAGE_TOO_LARGE', message, { data: { maxBytes } }));
  };

  const readBody = (chunk: Buffer): Buffer => {
    const piece = chunk.subarray(0, bodyBytesLeft);
    body.add(piece);
    bodyBytesLeft -= piece.length;
    if (bodyBytesLeft === 0) sink.frame(take());
    else share?.update(body.bytes);
    return chunk.subarray(piece.length);
  };

  const take = () => {
    share?.update(0);
    return body.take();
  };

  const drop = (error: AppError) => {
    bytesToSkip = bodyBytesLeft;
    bodyBytesLeft = 0;
    take();
    sink.reportError(error);
  };

  const skip = (chunk: Buffer): Buffer => {
    const passed = Math.min(bytesToSkip, chunk.length);
    bytesToSkip -= passed;
    return chunk.subarray(passed);
  };

  return {
    push(chunk) {
      let rest = chunk;
      while (rest.length > 0)
        rest = bytesToSkip > 0 ? skip(rest) : bodyBytesLeft > 0 ? readBody(rest) : readHeader(rest);
    },
    end() {
      const half = take();
      return half.length === 0 ? undefined : half;
    },
  };
}

const MAX_HEADER_BYTES = 8192;
const LF = 10;
const CR = 13;

/** Reads to the first empty line, with `\r\n` or plain `\n` line ends, wherever the chunks are split. */
function createHeader() {
  let text = '';
  let lineIsEmpty = false;

  return {
    push(chunk: Buffer): { used: number; outcome: 'ended' | 'endless' | 'unfinished' } {
      const limit = Math.min(chunk.length, MAX_HEADER_BYTES - text.length);
      let used = 0;
      let ended = false;
      while (used < limit && !ended) {
        const byte = chunk[used++];
        ended = byte === LF && lineIsEmpty;
        lineIsEmpty = byte === LF || (byte === CR && lineIsEmpty);
      }
      text += chunk.toString('latin1', 0, used);
      return { used, outcome: ended ? 'ended' : text.length === MAX_HEADER_BYTES ? 'endless' : 'unfinished' };
    },
    take(): string {
      const taken = text;
      text = '';
      lineIsEmpty = false;
      return taken;
    },
  };
}
