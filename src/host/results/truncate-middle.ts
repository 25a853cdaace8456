import { characterStart, nextCharacter } from './character-boundary.ts';
import { READ_RESULT_TOOL } from './stored-results.ts';

/** A text with its middle left out. */
export interface TruncatedText {
  readonly bytes: Buffer;
  /** Where a place of the whole text stands in it; what was left out stands behind the marker. */
  mapOffset(at: number): number;
}

/**
 * The beginning and the end of a text, cut between lines where one ends nearby, and always between characters. Only
 * these two are encoded, however long the text is.
 */
export function truncateMiddle(text: string, maxBytes: number, reference: string): TruncatedText {
  const bytes = Buffer.byteLength(text);
  const tailBytes = Math.floor(maxBytes / 3);
  const headBytes = maxBytes - tailBytes;
  // A unit is at least one byte. Those more than needed let see where characters and lines begin.
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
/** An eighth of what is kept may be given up for a whole line. */
const LINE_SLACK = 8;
