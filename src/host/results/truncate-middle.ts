import { characterStart, nextCharacter } from './character-boundary.ts';
import { READ_RESULT_TOOL } from './stored-results.ts';

/** A text whose middle is left out. */
export interface TruncatedText {
  readonly bytes: Buffer;
  /** Maps an offset of the whole text; offsets in the omitted part map to the end of the marker. */
  mapOffset(at: number): number;
}

/**
 * Keeps the beginning and the end of a text, cut at a line break if one is near, and always between characters. Encodes
 * only these two parts, however long the text is.
 */
export function truncateMiddle(text: string, maxBytes: number, reference: string): TruncatedText {
  const bytes = Buffer.byteLength(text);
  const tailBytes = Math.floor(maxBytes / 3);
  const headBytes = maxBytes - tailBytes;
  // A UTF-16 unit is at least one byte. The extra units show where characters and lines begin.
  const first = Buffer.from(text.slice(0, headBytes + 1));
  const last = Buffer.from(text.slice(Math.max(0, text.length - tailBytes - 2)));
  const head = endOfLine(first, headBytes);
  const tail = startOfLine(last, last.length - tailBytes) + bytes - last.length;
  const how = `${READ_RESULT_TOOL} ${JSON.stringify({ reference, offset: head })}`;
  const marker = Buffer.from(`\n[${tail - head} bytes left out here; read the rest with ${how}]\n`);
  return {
    bytes: Buffer.concat([first.subarray(0, head), marker, last.subarray(last.length - bytes + tail)]),
    mapOffset(at) {
      if (at <= head) return at;
      return head + marker.length + Math.max(0, at - tail);
    },
  };
}

function endOfLine(bytes: Buffer, at: number): number {
  const end = characterStart(bytes, at);
  const lineEnd = end === 0 ? 0 : bytes.lastIndexOf(LINE_FEED, end - 1) + 1;
  return end - lineEnd <= end / LINE_SLACK ? lineEnd : end;
}

function startOfLine(bytes: Buffer, at: number): number {
  const start = nextCharacter(bytes, at);
  const lineStart = bytes.indexOf(LINE_FEED, start - 1) + 1;
  return lineStart > 0 && lineStart - start <= (bytes.length - start) / LINE_SLACK ? lineStart : start;
}

const LINE_FEED = 0x0a;
/** At most an eighth of the kept text is dropped to end at a whole line. */
const LINE_SLACK = 8;
