import { oneLine } from '../../base/text/safe-text.ts';
import { type Frame, frameBytes } from '../../wire/frame.ts';

/** Lines that a program printed on stdout and that are not messages. Keeps the first few. */
export interface StrayOutput {
  add(frame: Frame, redact: (text: string) => string): void;
  /** Returns one sentence about them; undefined if there were none. */
  describe(): string | undefined;
}

const MAX_LINES = 3;
const MAX_LINE_LENGTH = 100;
/** Bytes read of a longer line. */
const MAX_READ_BYTES = 2_000;

export function createStrayOutput(): StrayOutput {
  const lines: string[] = [];
  let count = 0;
  return {
    add(frame, redact) {
      if (lines.length >= MAX_LINES) {
        count++;
        return;
      }
      const line = oneLine(redact(frameBytes(frame).toString('utf8', 0, MAX_READ_BYTES)), MAX_LINE_LENGTH);
      if (line === '') return;
      count++;
      lines.push(line);
    },
    describe() {
      if (count === 0) return undefined;
      const more = count - lines.length;
      const rest = more === 0 ? '' : ` and ${more} more line${more === 1 ? '' : 's'}`;
      return `It prints text on stdout; MCP needs stdout for protocol messages only: ${lines.map((line) => JSON.stringify(line)).join(', ')}${rest}`;
    },
  };
}
