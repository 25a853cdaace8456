import { StringDecoder } from 'node:string_decoder';

export interface StderrTail {
  push(chunk: Buffer): void;
  /** Ends the stream. Text without a final line break counts as a line too. */
  end(): void;
  lines(): readonly string[];
}

/** How much of stderr is kept for error messages, including line breaks. */
const STDERR_TAIL_BYTES = 4096;

/** Keeps the last whole lines of a stream, whatever bytes it contains and wherever its chunks are split. */
export function createStderrTail(onLine: (line: string) => void = () => {}): StderrTail {
  const decoder = new StringDecoder('utf8');
  let kept: readonly string[] = [];
  let partial = '';

  function take(text: string): void {
    const pieces = (partial + text).split('\n');
    partial = lastBytes(pieces.pop() ?? '');
    const lines = pieces.map((piece) => lastBytes(piece.endsWith('\r') ? piece.slice(0, -1) : piece));
    kept = lastLines([...kept, ...lines], STDERR_TAIL_BYTES - sizeOf(partial));
    for (const line of lines) onLine(line);
  }

  function end(): void {
    const rest = decoder.end();
    if (partial !== '' || rest !== '') take(`${rest}\n`);
  }

  return {
    push: (chunk) => take(decoder.write(chunk)),
    end,
    lines: () => (partial === '' ? kept : [...kept, partial]),
  };
}

function lastLines(lines: readonly string[], maxBytes: number): readonly string[] {
  let bytes = 0;
  const first = lines.findLastIndex((line) => {
    bytes += sizeOf(line);
    return bytes > maxBytes;
  });
  return lines.slice(first + 1);
}

/** Keeps the end of an overlong line, which is nearer to the failure. Never splits a character. */
function lastBytes(line: string): string {
  const bytes = Buffer.from(line);
  if (bytes.length < STDERR_TAIL_BYTES) return line;
  let start = bytes.length - STDERR_TAIL_BYTES + 1;
  while (isContinuation(bytes[start])) start += 1;
  return bytes.toString('utf8', start);
}

function isContinuation(byte: number | undefined): boolean {
  return byte !== undefined && (byte & 0xc0) === 0x80;
}

function sizeOf(line: string): number {
  return Buffer.byteLength(line) + 1;
}
