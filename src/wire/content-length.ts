import { AppError } from '../base/errors.ts';
import type { Framer, FrameSink } from './framing.ts';

/**
 * Messages behind `Content-Length` headers, as language servers frame them.
 * A header without a length is skipped with a fault: the next one may be sound. A body over the limit is passed over.
 */
export function createContentLengthSplitter(sink: FrameSink, maxBytes: number): Framer {
  let header: Buffer = Buffer.alloc(0);
  let body: Buffer[] = [];
  let missing = 0;
  let skipping = 0;

  const readHeader = (chunk: Buffer): Buffer => {
    header = header.length === 0 ? chunk : Buffer.concat([header, chunk]);
    const end = headerEnd(header);
    if (end === undefined) return dropEndlessHeader();
    const rest = header.subarray(end);
    beginBody(header.toString('latin1', 0, end));
    header = Buffer.alloc(0);
    return rest;
  };

  const dropEndlessHeader = (): Buffer => {
    if (header.length > MAX_HEADER_BYTES) {
      header = Buffer.alloc(0);
      sink.fault(new AppError('BAD_FRAME', `A header of more than ${MAX_HEADER_BYTES} bytes never ended.`));
    }
    return Buffer.alloc(0);
  };

  const beginBody = (text: string) => {
    const length = /^content-length:[ \t]*(\d{1,15})[ \t]*\r?$/im.exec(text)?.[1];
    if (length === undefined) {
      if (text.trim() !== '') sink.fault(new AppError('BAD_FRAME', `A header without Content-Length: ${JSON.stringify(text.trim().slice(0, 80))}`));
      return;
    }
    const bytes = Number(length);
    if (bytes <= maxBytes) missing = bytes;
    else {
      skipping = bytes;
      sink.fault(new AppError('MESSAGE_TOO_LARGE', `A message of ${bytes} bytes is over the limit of ${maxBytes}.`, { data: { maxBytes } }));
    }
  };

  const readBody = (chunk: Buffer): Buffer => {
    const piece = chunk.subarray(0, missing);
    body.push(piece);
    missing -= piece.length;
    if (missing === 0) {
      sink.frame(body);
      body = [];
    }
    return chunk.subarray(piece.length);
  };

  const skip = (chunk: Buffer): Buffer => {
    const passed = Math.min(skipping, chunk.length);
    skipping -= passed;
    return chunk.subarray(passed);
  };

  return {
    push(chunk) {
      let rest = chunk;
      while (rest.length > 0) rest = skipping > 0 ? skip(rest) : missing > 0 ? readBody(rest) : readHeader(rest);
    },
    end() {
      const half = body;
      body = [];
      return half.length === 0 ? undefined : half;
    },
  };
}

const MAX_HEADER_BYTES = 8192;

/** Where the body starts: after the first empty line, with `\r\n` or plain `\n` line ends. */
function headerEnd(header: Buffer): number | undefined {
  const strict = header.indexOf('\r\n\r\n');
  const plain = header.indexOf('\n\n');
  if (strict !== -1 && (plain === -1 || strict < plain)) return strict + 4;
  return plain === -1 ? undefined : plain + 2;
}
