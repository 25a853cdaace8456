import { createServer, type Server, type ServerOptions, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { toJsonRpcError } from '../../../base/error-translation.ts';
import { AppError } from '../../../base/errors.ts';
import { errorText } from '../../../wire/messages.ts';
import type { Connections } from './connections.ts';
import { limitHandshakes } from './limit-handshakes.ts';
import type { HttpLimits } from './limits.ts';
import type { OpenResponses } from './open-responses.ts';
import type { RefusalCounts } from './refusal-counts.ts';

/** A certificate and its key, in PEM format. */
export interface TlsOptions {
  readonly cert: string | Buffer;
  readonly key: string | Buffer;
}

export interface CreatedServer {
  readonly server: Server;
  /** Uses another certificate for new connections. */
  setCertificate(tls: TlsOptions): void;
}

interface HttpServerOptions {
  readonly limits: HttpLimits;
  readonly connections: Connections;
  readonly responses: OpenResponses;
  readonly refused: RefusalCounts;
  readonly tls: TlsOptions | undefined;
}

/** Creates a server that limits connections, and the time that a client may take to send a request. */
export async function createHttpServer({
  limits,
  connections,
  responses,
  refused,
  tls,
}: HttpServerOptions): Promise<CreatedServer> {
  const options: ServerOptions = {
    headersTimeout: limits.headersTimeoutMs,
    requestTimeout: limits.requestTimeoutMs,
    connectionsCheckingInterval: Math.min(limits.headersTimeoutMs, MAX_CHECK_INTERVAL_MS),
    keepAliveTimeout: limits.keepAliveTimeoutMs,
    noDelay: true,
    // The system probes a silent connection, so that it ends even if the client's machine has vanished.
    keepAlive: true,
    keepAliveInitialDelay: KEEP_ALIVE_DELAY_MS,
  };
  // By default, Node drops headers beyond a maximum number. A dropped Origin, for example, would not be checked. The
  // total size of the headers stays limited.
  const unlimited = <T extends Server>(server: T): T => Object.assign(server, { maxHeadersCount: 0 });
  const answerOrEnd = (error: Error, socket: Duplex) => {
    // The client would read an error as part of the response that is being written.
    if (responses.isAnswering(socket)) socket.end(() => socket.destroy());
    else answerInvalidRequest(error, socket, refused);
  };
  if (tls === undefined) {
    const server = unlimited(createServer(options));
    server.on('connection', connections.opened);
    server.on('clientError', answerOrEnd);
    return { server, setCertificate() {} };
  }
  const https = await import('node:https');
  const server = unlimited(https.createServer({ ...options, ...tls, handshakeTimeout: limits.headersTimeoutMs }));
  limitHandshakes(server, limits.maxConnections);
  server.on('secureConnection', connections.opened);
  server.on('clientError', (error, socket) => {
    // A response could not be sent before the TLS handshake has finished.
    if ('secureConnecting' in socket && socket.secureConnecting === true) socket.destroy();
    else answerOrEnd(error, socket);
  });
  return { server, setCertificate: ({ cert, key }) => server.setSecureContext({ cert, key }) };
}

const MAX_CHECK_INTERVAL_MS = 5_000;
const KEEP_ALIVE_DELAY_MS = 10_000;

/** Answers what is not an HTTP request, or was not sent in time, and closes the connection. */
function answerInvalidRequest(error: Error & { readonly code?: string }, socket: Duplex, refused: RefusalCounts): void {
  if (!socket.writable || error.code === 'ECONNRESET') return void socket.destroy();
  const { status, message } = PROBLEMS[error.code ?? ''] ?? {
    status: 400,
    message: 'This is not a valid HTTP request.',
  };
  refused.count(status);
  const body = errorText('null', toJsonRpcError(new AppError('INVALID_REQUEST', message)));
  socket.end(
    `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
      `Content-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
    () => socket.destroy(),
  );
}

const PROBLEMS: Readonly<Record<string, { readonly status: number; readonly message: string }>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, message: 'The request did not arrive in time. Send it again.' },
  HPE_HEADER_OVERFLOW: { status: 431, message: 'The headers of the request are too large.' },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, message: 'The chunk extensions of the request are too large.' },
};
