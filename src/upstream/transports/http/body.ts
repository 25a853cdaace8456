import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../base/errors.ts';
import type { Frame } from '../../../wire/frame.ts';

export type Body = { readonly frame: Frame } | { readonly error: AppError };

/** The whole body in the pieces in which it came. Over the limit, or cut off, it is an error and the rest is not read. */
export function readBody(response: IncomingMessage, maxBytes: number, done: (body: Body) => void): void {
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isDone = false;
  response.on('data', (piece: Buffer) => {
    bytes += piece.length;
    if (bytes <= maxBytes) return void pieces.push(piece);
    if (!isDone) {
      isDone = true;
      done({ error: tooLarge(maxBytes) });
    }
    response.destroy();
  });
  response.on('end', () => {
    if (!isDone) done({ frame: pieces });
    isDone = true;
  });
  response.on('error', () => {
    if (!isDone) done({ error: cutOff() });
    isDone = true;
  });
}

function tooLarge(maxBytes: number): AppError {
  return new AppError('MESSAGE_TOO_LARGE', `An answer is over the limit of ${maxBytes} bytes.`, { data: { maxBytes } });
}

function cutOff(): AppError {
  return new AppError('CONNECTION_CLOSED', 'The server ended its answer in the middle.');
}
