import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { AppError } from '../../../base/errors.ts';
import { type Frame, frameBytes } from '../../../wire/frame.ts';
import type { HttpLimits } from './limits.ts';
import { type Refusal, refuseAsBusy, refuseLargeBody, refuseWithStatus } from './refusal.ts';

interface BodyReceiver {
  /** Receives the whole body. */
  received(body: Frame): void;
  refused(refusal: Refusal): void;
}

/** Reads the bodies of requests within their limits. */
export interface BodyReader {
  /** Calls the receiver once, or never if the client disconnects before the end of the body. */
  read(request: IncomingMessage, receiver: BodyReceiver): void;
}

export function createBodyReader(limits: HttpLimits): BodyReader {
  const buffered: Buffered = { bytes: 0 };
  /** Bodies that have arrived in this turn of the event loop. */
  let arrived: Body[] = [];
  const deliver = () => {
    const bodies = arrived;
    arrived = [];
    for (const body of bodies) body.deliver();
  };
  // Requests that arrive together are handled together, so that all their calls are sent to a server in one write.
  const arrive = (body: Body) => {
    if (arrived.push(body) === 1) setImmediate(deliver);
  };

  return {
    read(request, receiver) {
      const problem = findProblem(request, limits);
      if (problem !== undefined) return receiver.refused(problem);
      const body = new Body(request, receiver, { limits, buffered });
      request.on('data', (chunk: Buffer) => body.add(chunk));
      request.on('end', () => arrive(body));
    },
  };
}

/** The bytes of all unfinished large bodies. */
interface Buffered {
  bytes: number;
}

interface SharedLimits {
  readonly limits: HttpLimits;
  readonly buffered: Buffered;
}

/** Smaller bodies usually arrive at once and are not worth counting. */
const COUNTED_BYTES = 64 * 1024;

class Body {
  readonly #request: IncomingMessage;
  readonly #receiver: BodyReceiver;
  readonly #shared: SharedLimits;
  #pieces: Buffer[] = [];
  #bytes = 0;
  #countedBytes = 0;
  #isOver = false;

  constructor(request: IncomingMessage, receiver: BodyReceiver, shared: SharedLimits) {
    this.#request = request;
    this.#receiver = receiver;
    this.#shared = shared;
  }

  add(chunk: Buffer): void {
    if (this.#isOver) return;
    this.#pieces.push(chunk);
    this.#bytes += chunk.length;
    if (this.#bytes > COUNTED_BYTES) this.#count();
    const { limits, buffered } = this.#shared;
    if (this.#bytes > limits.maxBodyBytes) this.#refuse(refuseLargeBody(limits.maxBodyBytes));
    else if (buffered.bytes > limits.maxBufferedBytes) this.#refuse(TOO_MANY_BYTES);
  }

  /** Passes on the whole body, unless the client has disconnected. */
  deliver(): void {
    if (this.#isOver || this.#request.socket.destroyed) return;
    this.#isOver = true;
    this.#release();
    if (this.#bytes === 0) this.#receiver.refused(NO_BODY);
    else if (!isUtf8(frameBytes(this.#pieces))) this.#receiver.refused(NOT_UTF8);
    else this.#receiver.received(toSingleLine(this.#pieces));
  }

  #count(): void {
    if (this.#countedBytes === 0) this.#request.on('close', () => this.#release());
    this.#shared.buffered.bytes += this.#bytes - this.#countedBytes;
    this.#countedBytes = this.#bytes;
  }

  #release(): void {
    this.#shared.buffered.bytes -= this.#countedBytes;
    this.#countedBytes = 0;
  }

  #refuse(refusal: Refusal): void {
    this.#isOver = true;
    this.#pieces = [];
    this.#release();
    this.#receiver.refused(refusal);
  }
}

const NO_BODY = refuseWithStatus(400, 'The request has no body. Send one JSON-RPC message.');
/** The gateway and a server could decode the bytes differently. */
const NOT_UTF8: Refusal = { status: 400, error: new AppError('PARSE_FAILED', 'The body is not valid UTF-8.') };
const TOO_MANY_BYTES = refuseAsBusy(503, 'Too many large requests are being received. Try again in a moment.');

/** Refuses a body by its headers alone. */
function findProblem({ headers }: IncomingMessage, { maxBodyBytes }: HttpLimits): Refusal | undefined {
  const type = headers['content-type'];
  if (type !== 'application/json' && !isJson(type))
    return refuseWithStatus(415, `Content-Type must be application/json, not ${JSON.stringify(type ?? '')}.`);
  const coding = headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked')
    return refuseWithStatus(
      501,
      `Transfer-Encoding ${JSON.stringify(coding)} is not supported. Send "chunked" or none.`,
      {
        Connection: 'close',
      },
    );
  const encoding = headers['content-encoding'];
  if (encoding !== undefined && encoding !== 'identity')
    return refuseWithStatus(415, `Content-Encoding ${JSON.stringify(encoding)} is not supported. Send plain JSON.`);
  return Number(headers['content-length'] ?? 0) > maxBodyBytes ? refuseLargeBody(maxBodyBytes) : undefined;
}

function isJson(type: string | undefined): boolean {
  return type !== undefined && /^application\/json\s*(?:;|$)/i.test(type);
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
