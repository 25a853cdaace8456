import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { BrotliDecompress, Gunzip, Inflate, InflateRaw } from 'node:zlib';
import { AppError, type ErrorCode } from '../base/errors.ts';
import { oneLine } from '../base/text/safe-text.ts';

/**
 * Returns the decompressed body of a response. Without a `Content-Encoding` this is the response itself, which is the
 * usual case, because requests do not ask for compression. Data is emitted as soon as it is decompressed, and with
 * backpressure, so a reader that counts bytes and stops never buffers much more than its limit. A damaged body or an
 * unknown encoding emits an `error` with the code `BAD_ANSWER`, a truncated body one with `CONNECTION_CLOSED`.
 * Destroying the stream also destroys the response.
 */
export function decompress(response: IncomingMessage): Readable {
  const header = response.headers['content-encoding'];
  return header === undefined ? response : decompressAs(parseEncodings(header), response);
}

function parseEncodings(header: string): readonly string[] {
  const encodings = header.split(',').map((encoding) => encoding.trim().toLowerCase());
  return encodings.filter((encoding) => encoding !== '' && encoding !== 'identity');
}

function decompressAs(encodings: readonly string[], response: IncomingMessage): Readable {
  const [encoding, ...others] = encodings;
  if (encoding === undefined) return response;
  const isKnown = others.length === 0 && (KNOWN.has(encoding) || encoding === 'deflate');
  return new DecompressedBody(response, isKnown ? encoding : undefined, toDisplayedNames(encodings));
}

type Decoder = Gunzip | Inflate | InflateRaw | BrotliDecompress;

/** The decoder is created at the first byte, which distinguishes the two kinds of deflate. */
class DecompressedBody extends Readable {
  readonly #source: IncomingMessage;
  readonly #displayedEncoding: string;
  readonly #encoding: string | undefined;
  #hasBegun = false;
  #decoder: Decoder | undefined;

  constructor(source: IncomingMessage, encoding: string | undefined, displayedEncoding: string) {
    super();
    this.#source = source;
    this.#encoding = encoding;
    this.#displayedEncoding = displayedEncoding;
  }

  override _read(): void {
    if (this.#hasBegun) return void this.#decoder?.resume();
    this.#hasBegun = true;
    const encoding = this.#encoding;
    if (encoding === undefined) return void this.destroy(unknownEncoding(this.#displayedEncoding));
    const source = this.#source;
    source.on('data', (chunk: Buffer) => {
      this.#decoder ??= this.#open(encoding, chunk);
      if (!this.#decoder.write(chunk)) source.pause();
    });
    source.on('end', () => {
      // An empty body needs no decoder.
      if (this.#decoder === undefined) this.push(null);
      else this.#decoder.end();
    });
    source.on('error', (error) => this.destroy(error));
    source.on('close', () => {
      if (!source.complete) this.destroy();
    });
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#decoder?.destroy();
    if (!this.#source.complete) this.#source.destroy();
    done(error);
  }

  #open(encoding: string, first: Buffer): Decoder {
    const decoder = createDecoder(encoding, first);
    decoder.on('data', (piece: Buffer) => {
      if (!this.push(piece)) decoder.pause();
    });
    decoder.on('drain', () => this.#source.resume());
    decoder.on('end', () => this.push(null));
    decoder.on('error', (error) => this.destroy(undecodable(this.#displayedEncoding, error)));
    return decoder;
  }
}

/** Loads zlib only when a response is compressed, which is rare. */
function createDecoder(encoding: string, first: Buffer): Decoder {
  const zlib = process.getBuiltinModule('node:zlib');
  if (encoding === 'br') return zlib.createBrotliDecompress({ chunkSize: CHUNK_BYTES });
  if (encoding !== 'deflate') return zlib.createGunzip({ chunkSize: CHUNK_BYTES });
  // RFC 9110 requires the zlib format; some servers send raw deflate. The low bits of a zlib header name the method.
  return ((first[0] ?? 0) & 0x0f) === ZLIB_METHOD
    ? zlib.createInflate({ chunkSize: CHUNK_BYTES })
    : zlib.createInflateRaw({ chunkSize: CHUNK_BYTES });
}

const KNOWN: ReadonlySet<string> = new Set(['gzip', 'x-gzip', 'br']);
const ZLIB_METHOD = 8;
/** Each chunk takes a turn of the thread pool. With the default of 16 KiB, a large body would wait for thousands. */
const CHUNK_BYTES = 128 * 1024;
const MAX_DISPLAYED_LENGTH = 40;
const MAX_NAMES = 4;
/** Names that may appear in a message. Any other word may be a secret that the server received and echoes here. */
const SAFE_TO_DISPLAY: ReadonlySet<string> = new Set([
  ...KNOWN,
  'deflate',
  'zstd',
  'compress',
  'x-compress',
  'dcb',
  'dcz',
  'utf-8',
]);

function toDisplayedNames(encodings: readonly string[]): string {
  const names = encodings.slice(0, MAX_NAMES).map((name) => (SAFE_TO_DISPLAY.has(name) ? name : 'unknown'));
  return [...names, ...(encodings.length > MAX_NAMES ? ['…'] : [])].join(', ');
}

function undecodable(encoding: string, cause: NodeJS.ErrnoException): AppError {
  const isTruncated = cause.code === 'Z_BUF_ERROR';
  const fault = `cannot be decompressed (${encoding}: ${oneLine(cause.message, MAX_DISPLAYED_LENGTH)})`;
  return toDecompressionError(isTruncated ? 'CONNECTION_CLOSED' : 'BAD_ANSWER', fault, cause);
}

function unknownEncoding(encoding: string): AppError {
  return toDecompressionError(
    'BAD_ANSWER',
    `has a Content-Encoding that is not supported (${encoding}); use gzip, br or deflate`,
  );
}

function toDecompressionError(code: ErrorCode, fault: string, cause?: Error): AppError {
  return new AppError(code, `Its answer ${fault}.`, { data: { fault }, cause });
}

/** Returns why a response could not be decompressed, as the predicate of a sentence that begins with `its answer`. */
export function decompressionFault({ data }: AppError): string | undefined {
  return typeof data?.['fault'] === 'string' ? data['fault'] : undefined;
}
