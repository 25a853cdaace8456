import type { ReadStream } from 'node:tty';
import { AppError } from '../../../base/errors.ts';

/**
 * A line that somebody pastes or types into the terminal. It is not shown, because it holds a code. Ctrl-C, which the
 * terminal gives us as a letter meanwhile, rejects with `CANCELLED`; the end of the input never settles. The terminal is
 * as before when this settles or the signal comes.
 */
export function readPastedLine(input: ReadStream, signal: AbortSignal): Promise<string> {
  return new Promise((resolve, reject) => {
    let line = '';
    const take = (chunk: Buffer) => {
      for (const char of chunk.toString('utf8')) {
        if (char === CTRL_C) return end(() => reject(new AppError('CANCELLED', 'The sign-in was cancelled.')));
        if (char === '\r' || char === '\n') return end(() => resolve(line));
        if (char === BACKSPACE || char === DELETE) line = line.slice(0, -1);
        else if (line.length < MAX_LENGTH) line += char;
      }
    };
    const end = (settle: () => void) => {
      input.off('data', take);
      signal.removeEventListener('abort', stop);
      input.setRawMode(false);
      input.pause();
      settle();
    };
    const stop = () => end(() => {});
    if (signal.aborted) return;
    signal.addEventListener('abort', stop, { once: true });
    input.setRawMode(true);
    input.on('data', take);
    input.resume();
  });
}

const CTRL_C = '\u0003';
const BACKSPACE = '\b';
const DELETE = '\u007f';
/** Longer than any address that a browser shows. */
const MAX_LENGTH = 16_384;
