import { describe, expect, test } from 'vitest';
import type { Screen } from '../output.ts';
import { openAlternateScreen } from './alternate-screen.ts';

const OPENED = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSED = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** A terminal that records its input. */
function newScreen(rows: number) {
  const painted: string[] = [];
  const screen: Screen = {
    size: () => ({ columns: 80, rows }),
    write: (text) => void painted.push(text),
    onResize: () => () => {},
  };
  return { screen, painted };
}

describe('the alternate screen', () => {
  test('overwrites the previous frame and clears the rest', () => {
    const { screen, painted } = newScreen(24);
    const redraw = openAlternateScreen(screen);
    redraw.draw(['one', 'two']);
    redraw.draw(['one']);
    expect(painted).toEqual([OPENED, '\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J', '\u001b[Hone\u001b[K\u001b[J']);
  });

  test('skips an unchanged frame and returns false', () => {
    const { screen, painted } = newScreen(24);
    const redraw = openAlternateScreen(screen);
    expect([redraw.draw(['same']), redraw.draw(['same'])]).toEqual([true, false]);
    expect(painted.length).toBe(2);
  });

  test('counts the lines that do not fit', () => {
    const { screen, painted } = newScreen(3);
    openAlternateScreen(screen).draw(['1', '2', '3', '4', '5']);
    expect(painted[1]).toBe('\u001b[H1\u001b[K\r\n2\u001b[K\r\n… 3 more\u001b[K\u001b[J');
  });

  test('restores the terminal once, and draws nothing afterward', () => {
    const { screen, painted } = newScreen(24);
    const redraw = openAlternateScreen(screen);
    redraw.close();
    redraw.close();
    expect([redraw.draw(['late']), painted]).toEqual([false, [OPENED, CLOSED]]);
  });
});
