import { describe, expect, test } from 'vitest';
import { AppError } from '../../../base/errors.ts';
import type { Output, ScreenSize } from '../../output.ts';
import type { StatusSnapshot } from './snapshot.ts';
import { watchStatus } from './watch.ts';

const OPENED = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const CLOSED = '\u001b[?7h\u001b[?25h\u001b[?1049l';

/** A terminal that records its input and can be resized. */
function newTerminal() {
  const painted: string[] = [];
  const answered: string[] = [];
  const listeners = new Set<() => void>();
  let size: ScreenSize = { columns: 20, rows: 5 };
  const output: Output = {
    answer: (text) => void answered.push(text),
    report: (text) => void answered.push(`stderr: ${text}`),
    screen: {
      size: () => size,
      write: (text) => void painted.push(text),
      onResize(listener) {
        listeners.add(listener);
        return () => void listeners.delete(listener);
      },
    },
  };
  const resize = (columns: number) => {
    size = { ...size, columns };
    for (const listener of listeners) listener();
  };
  return { output, painted, answered, resize, listeners };
}

function picture(text: string, complaints: readonly string[] = []): StatusSnapshot {
  return { document: { text }, lines: (width) => [`${text} ${width}`], warnings: complaints, isComplete: true };
}

/** Returns each snapshot in turn, then keeps returning the last one. */
function looksAt(...seen: readonly (() => StatusSnapshot)[]): () => Promise<StatusSnapshot> {
  const rest = [...seen];
  return async () => {
    const next = rest.length > 1 ? rest.shift() : rest[0];
    if (next === undefined) throw new Error('There is nothing to see.');
    return next();
  };
}

describe('watch on a terminal', () => {
  test('fails before it opens the screen if there is nothing to show', async () => {
    const { output, painted, answered } = newTerminal();
    const look = () => Promise.reject(new AppError('USAGE', 'There is no server x.'));
    await expect(watchStatus({ read: look, output, isJson: false, count: 1 })).rejects.toMatchObject({ code: 'USAGE' });
    expect([painted, answered]).toEqual([[], []]);
  });

  test('continues after a later failure, shows the reason, and prints the last frame at the end', async () => {
    const { output, painted, answered, listeners } = newTerminal();
    const fail = () => {
      throw new AppError('CONFIG_INVALID', 'config.json is gone, and that is a pity');
    };
    const look = looksAt(
      () => picture('a'),
      fail,
      () => picture('b', ['one hangs']),
    );
    await watchStatus({ read: look, output, isJson: false, count: 3 });
    expect(painted).toEqual([
      OPENED,
      '\u001b[Ha 20\u001b[K\u001b[J',
      '\u001b[H\u001b[K\r\nconfig.json is gone…\u001b[K\u001b[J',
      '\u001b[Hb 20\u001b[K\r\n\u001b[K\r\none hangs\u001b[K\u001b[J',
      CLOSED,
    ]);
    expect([answered, listeners.size]).toEqual([['b 20\n\none hangs'], 0]);
  });

  test('redraws at once on resize, without counting it', async () => {
    const { output, painted, resize } = newTerminal();
    const look = looksAt(
      () => picture('a'),
      () => {
        resize(40);
        return picture('b');
      },
    );
    await watchStatus({ read: look, output, isJson: false, count: 2 });
    expect(painted).toEqual([
      OPENED,
      '\u001b[Ha 20\u001b[K\u001b[J',
      '\u001b[Ha 40\u001b[K\u001b[J',
      '\u001b[Hb 40\u001b[K\u001b[J',
      CLOSED,
    ]);
  });

  test('with --json prints documents', async () => {
    const { output, painted, answered } = newTerminal();
    await watchStatus({ read: looksAt(() => picture('a')), output, isJson: true, count: 1 });
    expect([painted, answered]).toEqual([[], ['{"v":1,"text":"a"}']]);
  });
});
