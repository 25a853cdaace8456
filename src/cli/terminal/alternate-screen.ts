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
  screen.write(`${ALTERNATE_SCREEN_ON}${CURSOR_OFF}${WRAP_OFF}`);
  return {
    draw(lines) {
      const frame = fitHeight(lines, screen.size().rows).join(`${CLEAR_LINE}\r\n`);
      if (!isOpen || frame === shown) return false;
      shown = frame;
      // Overwrites the old frame and clears only the remainder, which avoids flicker.
      screen.write(`${HOME}${frame}${CLEAR_REST}`);
      return true;
    },
    close() {
      if (!isOpen) return;
      isOpen = false;
      screen.write(`${WRAP_ON}${CURSOR_ON}${ALTERNATE_SCREEN_OFF}`);
    },
  };
}

const HOME = '\u001b[H';
const CLEAR_LINE = '\u001b[K';
const CLEAR_REST = '\u001b[K\u001b[J';
const CURSOR_OFF = '\u001b[?25l';
const CURSOR_ON = '\u001b[?25h';
/** The terminal truncates a line that is too long, so the other lines keep their place. */
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
const ALTERNATE_SCREEN_ON = '\u001b[?1049h';
const ALTERNATE_SCREEN_OFF = '\u001b[?1049l';

function fitHeight(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const kept = lines.slice(0, Math.max(rows - 1, 0));
  return [...kept, `… ${lines.length - kept.length} more`];
}
