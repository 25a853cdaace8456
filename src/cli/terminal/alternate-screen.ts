import type { Screen } from '../output.ts';

/** A full-screen view that is redrawn repeatedly. */
export interface AlternateScreen {
  /**
   * Draws lines that fit the width. The last line counts those that exceed the height. Returns false if nothing
   * changed.
   */
  draw(lines: readonly string[]): boolean;
  /** Restores the terminal. May be called twice. */
  close(): void;
}

/**
 * Opens the alternate screen buffer: closing it restores the previous content. Writes nothing while nothing changes.
 */
export function openAlternateScreen(screen: Screen): AlternateScreen {
  let shown: string | undefined;
  let isOpen = true;
  screen.write(SEQUENCES.open);
  return {
    draw(lines) {
      const frame = fitHeight(lines, screen.size().rows).join(`${SEQUENCES.clearLine}\r\n`);
      if (!isOpen || frame === shown) return false;
      shown = frame;
      // Overwrites the old frame and clears only the remainder, which avoids flicker.
      screen.write(`${SEQUENCES.toTopLeft}${frame}${SEQUENCES.clearRest}`);
      return true;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      screen.write(SEQUENCES.close);
    },
  };
}

/** Control sequences. Without line wrapping, the terminal truncates a long line, so the other lines keep their place. */
const SEQUENCES = {
  open: '\u001b[?1049h\u001b[?25l\u001b[?7l',
  close: '\u001b[?7h\u001b[?25h\u001b[?1049l',
  toTopLeft: '\u001b[H',
  clearLine: '\u001b[K',
  clearRest: '\u001b[K\u001b[J',
};

function fitHeight(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const kept = lines.slice(0, Math.max(rows - 1, 0));
  return [...kept, `… ${lines.length - kept.length} more`];
}
