import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { AppError, isAppError } from '../../../../base/errors.ts';
import { decompress } from '../../../../net/decompress.ts';
import type { Frame } from '../../../../wire/frame.ts';
import type { ByteBudget } from '../../../../wire/stream/byte-budget.ts';

export type Body = { readonly frame: Frame } | { readonly error: AppError };

export interface BodyLimits {
  readonly maxBytes: number;
  /** Shared limit of all responses together. */
  readonly budget?: ByteBudget | undefined;
}

/**
 * Reads the whole body, in the pieces in which it arrived. A body over the limit or cut off is an error, and the rest
 * is not read. Returns the stream, which the caller may pause.
 */
export function readBody(
  response: IncomingMessage,
  { maxBytes, budget }: BodyLimits,
  done: (body: Body) => void,
): Readable {
  const stream = decompress(response);
  const pieces: Buffer[] = [];
  const worthCounting = Math.min(BUDGET_THRESHOLD_BYTES, maxBytes);
  let bytes = 0;
  let isDone = false;
  let share: ReturnType<ByteBudget['open']> | undefined;
  const finish = (body: Body) => {
    if (isDone) return;
    isDone = true;
    share?.update(0);
    done(body);
  };
  stream.on('data', (piece: Buffer) => {
    if (isDone) return;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > worthCounting) count();
  });
  const count = () => {
    const giveUp = (error: AppError) => {
      finish({ error });
      stream.destroy();
    };
    if (bytes > maxBytes) return giveUp(tooLarge(maxBytes));
    share ??= budget?.open(giveUp);
    share?.update(bytes);
  };
  stream.on('end', () => finish({ frame: pieces }));
  stream.on('error', (error) => finish({ error: isAppError(error) ? error : truncatedBody() }));
  return stream;
}

/** Nearly every response is smaller and is not counted in the budget. */
export const BUDGET_THRESHOLD_BYTES = 64 * 1024;

/** Reads enough of a body to identify it. Does not wait for a body that never ends. */
export function readBodyStart(response: IncomingMessage, done: (text: string) => void): void {
  const stream = decompress(response);
  const pieces: Buffer[] = [];
  let bytes = 0;
  let isDone = false;
  const finish = () => {
    if (isDone) return;
    isDone = true;
    clearTimeout(timer);
    if (stream !== response) stream.destroy();
    // A completely read body leaves its connection reusable.
    if (!response.complete) response.destroy();
    done(Buffer.concat(pieces).toString('utf8'));
  };
  const timer = setTimeout(finish, BEGINNING_MS);
  stream.on('data', (piece: Buffer) => {
    if (isDone) return;
    pieces.push(piece);
    bytes += piece.length;
    if (bytes > BEGINNING_BYTES) finish();
  });
  stream.on('end', finish);
  stream.on('error', finish);
}

const BEGINNING_MS = 2_000;
const BEGINNING_BYTES = 64 * 1024;

/**
 * Reads an unneeded body to its end, so that its connection can be reused. Destroys a body that does not end in time.
 */
export function drain(response: IncomingMessage): void {
  const timer = setTimeout(() => response.destroy(), DRAIN_MS).unref();
  response.on('close', () => clearTimeout(timer));
  // Errors of an unneeded body do not matter.
  response.on('error', () => {});
  response.resume();
}

const DRAIN_MS = 1_000;

function tooLarge(maxBytes: number): AppError {
  return new AppError('MESSAGE_TOO_LARGE', `A response is over the limit of ${maxBytes} bytes.`, {
    data: { maxBytes },
  });
}

function truncatedBody(): AppError {
  return new AppError('CONNECTION_CLOSED', 'The server ended its response early.');
}
