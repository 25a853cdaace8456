import type { IncomingMessage } from 'node:http';
import type { Frame } from '../../../wire/frame.ts';
import type { HttpLimits } from './limits.ts';
import { type Refusal, refuseAsBusy, refuseLargeBody, refuseWithStatus } from './refusal.ts';

/** Reads the bodies of requests within their limits. */
export interface BodyReader {
  /** Calls `onBody` with the whole body, or `onRefused`. Calls neither if the client disconnects before its end. */
  read(request: IncomingMessage, onBody: (body: Frame) => void, onRefused: (refusal: Refusal) => void): void;
}

export function createBodyReader(limits: HttpLimits): BodyReader {
  /** The bytes of all unfinished large bodies. */
  let bufferedBytes = 0;

  /** Refuses a body by its headers alone. */
  const findProblem = ({ headers }: IncomingMessage): Refusal | undefined => {
    const type = headers['content-type'];
    if (type !== 'application/json' && !isJson(type))
      return refuseWithStatus(415, `Content-Type must be application/json, not ${JSON.stringify(type ?? '')}.`);
    const encoding = headers['content-encoding'];
    if (encoding !== undefined && encoding !== 'identity')
      return refuseWithStatus(415, `Content-Encoding ${JSON.stringify(encoding)} is not supported. Send plain JSON.`);
    if (Number(headers['content-length'] ?? 0) > limits.maxBodyBytes) return refuseLargeBody(limits.maxBodyBytes);
    return undefined;
  };

  return {
    read(request, onBody, onRefused) {
      const problem = findProblem(request);
      if (problem !== undefined) return onRefused(problem);
      const pieces: Buffer[] = [];
      let bytes = 0;
      let isOver = false;
      const release = () => {
        if (bytes > COUNTED_BYTES) bufferedBytes -= bytes;
        bytes = 0;
      };
      const refuse = (refusal: Refusal) => {
        isOver = true;
        pieces.length = 0;
        release();
        onRefused(refusal);
      };
      request.on('data', (chunk: Buffer) => {
        if (isOver) return;
        const before = bytes;
        bytes += chunk.length;
        if (bytes > COUNTED_BYTES) bufferedBytes += before > COUNTED_BYTES ? chunk.length : bytes;
        pieces.push(chunk);
        if (bytes > limits.maxBodyBytes) refuse(refuseLargeBody(limits.maxBodyBytes));
        else if (bufferedBytes > limits.maxBufferedBytes) refuse(TOO_MANY_BYTES);
      });
      request.on('end', () => {
        if (isOver) return;
        isOver = true;
        release();
        if (pieces.length > 0) onBody(toSingleLine(pieces));
        else onRefused(refuseWithStatus(400, 'The request has no body. Send one JSON-RPC message.'));
      });
      request.on('close', release);
    },
  };
}

/**
 * Returns the body as a frame, which has no line breaks: line breaks between the values of a message become spaces, and
 * spaces at its end are removed. Nearly every body has none.
 */
function toSingleLine(pieces: Buffer[]): Frame {
  for (const piece of pieces) {
    for (let at = piece.indexOf(LF); at !== -1; at = piece.indexOf(LF, at + 1)) piece[at] = SPACE;
    for (let at = piece.indexOf(CR); at !== -1; at = piece.indexOf(CR, at + 1)) piece[at] = SPACE;
  }
  const last = pieces.length - 1;
  const piece = pieces[last];
  if (piece?.at(-1) !== SPACE) return pieces;
  let end = piece.length;
  while (end > 1 && piece[end - 1] === SPACE) end--;
  return [...pieces.slice(0, last), piece.subarray(0, end)];
}

const LF = 10;
const CR = 13;
const SPACE = 32;

/** Smaller bodies usually arrive at once and are not worth counting. */
const COUNTED_BYTES = 64 * 1024;

const TOO_MANY_BYTES = refuseAsBusy(503, 'Too many large requests are being received. Try again in a moment.');

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(?:;|$)/i.test(type);
}
