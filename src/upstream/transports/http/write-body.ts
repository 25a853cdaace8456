import type { ClientRequest } from 'node:http';
import { type Outgoing, outgoingText } from '../../../wire/splice.ts';

export function bytesOf(body: Outgoing): number {
  return typeof body === 'string' ? Buffer.byteLength(body) : body.bytes;
}

/** Sends the body, and with it the request. */
export function writeBody(request: ClientRequest, body: Outgoing | undefined): void {
  if (body === undefined) request.end();
  else if (typeof body === 'string') endWith(request, body);
  else if (body.bytes <= SMALL_BYTES) endWith(request, outgoingText(body));
  else {
    request.cork();
    for (const piece of body.pieces) request.write(piece);
    request.end();
  }
}

/** Up to here one write of a text is cheaper than several of its pieces. */
const SMALL_BYTES = 16 * 1024;

/** What is ASCII need not be encoded. */
function endWith(request: ClientRequest, text: string): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is about exactly these
  request.end(text, /^[\x00-\x7f]*$/.test(text) ? 'latin1' : 'utf8');
}
