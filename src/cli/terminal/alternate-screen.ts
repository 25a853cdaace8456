import type { Screen } from '../output.ts';

/** A picture on the whole screen that is drawn again and again. */
export interface AlternateScreen {
  /** Lines that fit the width. Those that do not fit the height are counted in the last one. False: nothing changed. */
  draw(lines: readonly string[]): boolean;
  /** Gives the terminal back as it was. May be called twice. */
  close(): void;
}

/** On a screen of its own: what was there before comes back at the end. Nothing is written while nothing changes. */
export function openAlternateScreen(screen: Screen): AlternateScreen {
  let shown: string | undefined;
  let isOpen = true;
  screen.write(`${ALTERNATE_SCREEN_ON}${CURSOR_OFF}${WRAP_OFF}`);
  return {
    draw(lines) {
      const frame = fitHeight(lines, screen.size().rows).join(`${CLEAR_LINE}\r\n`);
      if (!isOpen || frame === shown) return false;
      shown = frame;
      // Written over the old one, and only then is what is left of it cleared: nothing flickers.
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
/** A line that turns out to be too long is cut by the terminal, and moves no other. */
const WRAP_OFF = '\u001b[?7l';
const WRAP_ON = '\u001b[?7h';
const ALTERNATE_SCREEN_ON = '\u001b[?1049h';
const ALTERNATE_SCREEN_OFF = '\u001b[?1049l';

function fitHeight(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  const kept = lines.slice(0, Math.max(rows - 1, 0));
  return [...kept, `… ${lines.length - kept.length} more`];
}
