import { describe, expect, test } from 'vitest';
import type { Screen } from '../output.ts';
import { openAlternateScreen } from './alternate-screen.ts';

const OPENED = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSED = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** A terminal that writes down what it is told. */
function newScreen(rows: number) {
  const painted: string[] = [];
  const screen: Screen = {
    size: () => ({ columns: 80, rows }),
    write: (text) => void painted.push(text),
    onResize: () => () => {},
  };
  return { screen, painted };
}

describe('a picture that is drawn again and again', () => {
  test('is written over the old one, and the rest of that is cleared', () => {
    const { screen, painted } = newScreen(24);
    const redraw = openAlternateScreen(screen);
    redraw.draw(['one', 'two']);
    redraw.draw(['one']);
    expect(painted).toEqual([OPENED, '\u001b[Hone\u001b[K\r\ntwo\u001b[K\u001b[J', '\u001b[Hone\u001b[K\u001b[J']);
  });

  test('is not written when nothing has changed, and says so', () => {
    const { screen, painted } = newScreen(24);
    const redraw = openAlternateScreen(screen);
    expect([redraw.draw(['same']), redraw.draw(['same'])]).toEqual([true, false]);
    expect(painted.length).toBe(2);
  });

  test('counts the lines that do not fit the height', () => {
    const { screen, painted } = newScreen(3);
    openAlternateScreen(screen).draw(['1', '2', '3', '4', '5']);
    expect(painted[1]).toBe('\u001b[H1\u001b[K\r\n2\u001b[K\r\n… 3 more\u001b[K\u001b[J');
  });

  test('gives the terminal back once, and draws nothing after that', () => {
    const { screen, painted } = newScreen(24);
    const redraw = openAlternateScreen(screen);
    redraw.close();
    redraw.close();
    expect([redraw.draw(['late']), painted]).toEqual([false, [OPENED, CLOSED]]);
  });
});
