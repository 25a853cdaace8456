import type { ReadStream } from 'node:tty';
import { AppError } from '../../../base/errors.ts';

/**
 * Reads a pasted or typed line without echo, because it contains a code. In raw mode Ctrl-C arrives as a character and
 * rejects with `CANCELLED`; the end of the input never settles the promise. Restores the terminal on settlement or
 * abort.
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
/** Longer than any URL that a browser shows. */
const MAX_LENGTH = 16_384;
