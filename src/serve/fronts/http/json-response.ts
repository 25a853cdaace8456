import type { OutgoingHttpHeaders, ServerResponse } from 'node:http';
import { type OutgoingMessage, outgoingBytes } from '../../../wire/json/splice.ts';

/** Writes a whole response. One write for a small one, so that it fits into one packet. */
export function writeJson(
  response: ServerResponse,
  status: number,
  message: OutgoingMessage,
  headers?: OutgoingHttpHeaders,
): void {
  const length = typeof message === 'string' ? Buffer.byteLength(message) : message.bytes;
  const own = { 'Content-Type': 'application/json', 'Content-Length': length };
  response.writeHead(status, headers === undefined ? own : { ...own, ...headers });
  if (typeof message === 'string') response.end(message);
  else if (length <= MAX_JOINED_BYTES) response.end(outgoingBytes(message));
  else writePieces(response, message.pieces);
}

const MAX_JOINED_BYTES = 16 * 1024;

function writePieces(response: ServerResponse, pieces: readonly (string | Buffer)[]): void {
  response.cork();
  for (const piece of pieces) response.write(piece);
  response.uncork();
  response.end();
}
