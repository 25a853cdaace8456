import type { ClientRequest } from 'node:http';
import { type OutgoingMessage, outgoingText } from '../../../../wire/json/splice.ts';

/** Writes the body and ends the request. */
export function writeBody(request: ClientRequest, body: OutgoingMessage | undefined, bytes: number): void {
  if (body === undefined) request.end();
  else if (typeof body === 'string') endWith(request, body, bytes);
  else if (bytes <= SMALL_BYTES) endWith(request, outgoingText(body), bytes);
  else {
    request.cork();
    for (const piece of body.pieces) request.write(piece);
    request.end();
  }
}

/** Up to this size, one write of the joined text is cheaper than several writes of its pieces. */
const SMALL_BYTES = 16 * 1024;

/** Ends the request with a text. A text with as many bytes as characters is ASCII and needs no encoding. */
function endWith(request: ClientRequest, text: string, bytes: number): void {
  request.end(text, text.length === bytes ? 'latin1' : 'utf8');
}
