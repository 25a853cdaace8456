import { type Frame, frameBytes } from './frame.ts';

/**
 * Where messages may begin in a line that is none: programs print words, or half a message, without a line end, and the
 * next message stands behind them. A long line is not looked through.
 */
export function* findBeginnings(frame: Frame): Generator<Buffer> {
  const bytes = frameBytes(frame);
  if (bytes.length > MAX_BYTES) return;
  let at = bytes.indexOf(BEGINNING);
  for (let count = 0; at !== -1 && count < MAX_BEGINNINGS; count++) {
    yield bytes.subarray(at);
    at = bytes.indexOf(BEGINNING, at + 1);
  }
}

/** The id of an answer that stops half-way. */
export function idOfHalf(bytes: Buffer): number | undefined {
  const id = /^\{"jsonrpc":"2\.0","id":(\d{1,15}),"(?:result|error)":/.exec(bytes.toString('latin1', 0, 64))?.[1];
  return id === undefined ? undefined : Number(id);
}

const BEGINNING = '{"jsonrpc":"2.0"';
const MAX_BYTES = 1024 * 1024;
const MAX_BEGINNINGS = 16;
