import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { AppError } from '../../base/errors.ts';
import { errnoOf } from '../../base/files/errno.ts';

/** Local HTTP server that receives the browser's callback at the end of a sign-in, exactly once. */
export interface CallbackListener {
  readonly redirectUri: string;
  /**
   * Resolves with the callback that has this `state`. Rejects all other requests with an HTTP error and keeps waiting.
   */
  wait(state: string): Promise<URL>;
  /** Stops listening. A pending `wait` never resolves. May be called twice. */
  close(): void;
}

export interface CallbackTarget {
  readonly path: string;
  /** Tried in this order; 0 means any free port. */
  readonly ports: readonly number[];
}

/** Throws `BUSY` if none of the ports is available. */
export async function openCallbackListener({ path, ports }: CallbackTarget): Promise<CallbackListener> {
  let expected: { readonly state: string; readonly resolve: (callback: URL) => void } | undefined;
  const server = createServer(TIMEOUTS, (request, response) => {
    const callback = URL.canParse(request.url ?? '', redirectUri) ? new URL(request.url ?? '', redirectUri) : undefined;
    if (callback === undefined) return respond(response, 404, REFUSED);
    const refusal = rejectionStatus(request, { redirectUri, callback, state: expected?.state });
    if (refusal !== undefined) return respond(response, refusal, REFUSED);
    const { resolve } = expected ?? { resolve: () => {} };
    // Accept one callback only: `state` no longer matches after this.
    expected = undefined;
    response.once('close', () => resolve(callback));
    respond(response, 200, callback.searchParams.has('error') ? FAILED : DONE);
  });
  limitConnections(server, MAX_CONNECTIONS);
  const port = await listen(server, ports);
  const redirectUri = `http://127.0.0.1:${port}${path}`;
  return {
    redirectUri,
    wait: (state) =>
      new Promise((resolve) => {
        expected = { state, resolve };
      }),
    close() {
      expected = undefined;
      server.close();
      server.closeAllConnections();
    },
  };
}

/** A browser sends its request at once. A connection without a complete request is closed. */
const TIMEOUTS = { requestTimeout: 5_000, headersTimeout: 5_000, connectionsCheckingInterval: 1_000 };
const MAX_CONNECTIONS = 256;

async function listen(server: Server, ports: readonly number[]): Promise<number> {
  let failure: unknown;
  for (const port of ports) {
    try {
      server.listen({ port, host: '127.0.0.1', exclusive: true });
      await once(server, 'listening');
      return (server.address() as AddressInfo).port;
    } catch (error) {
      failure = error;
    }
  }
  const why = errnoOf(failure) === 'EADDRINUSE' ? 'another program is using it' : (errnoOf(failure) ?? 'unknown error');
  const message = `Could not listen on port ${ports.join(', ')} of 127.0.0.1: ${why}. Choose another port with --callback-port.`;
  throw new AppError('BUSY', message, { cause: failure });
}

interface Expected {
  readonly redirectUri: string;
  readonly callback: URL;
  readonly state: string | undefined;
}

/** Returns the status for requests other than the expected callback; undefined for that callback. */
function rejectionStatus(request: IncomingMessage, { redirectUri, callback, state }: Expected): number | undefined {
  const place = new URL(redirectUri);
  // DNS rebinding: a web page may point its own host name at this machine. The Host header is then not ours.
  const hosts = [place.host, `localhost:${place.port}`];
  if (!hosts.includes(request.headers.host ?? '')) return 403;
  if (callback.origin !== place.origin || callback.pathname !== place.pathname) return 404;
  if (request.method !== 'GET') return 405;
  if (state === undefined) return 410;
  const given = callback.searchParams.getAll('state');
  return given.length === 1 && given[0] === state ? undefined : 400;
}

function respond(response: ServerResponse, status: number, message: string): void {
  response.writeHead(status, HEADERS);
  response.end(`<!doctype html><meta charset="utf-8"><title>Switchboard</title><p>${message}</p>\n`);
}

/** Pages contain no part of the request. */
const DONE = 'You can close this window and go back to the terminal.';
const FAILED = 'The sign-in was not completed. See the terminal for the reason.';
const REFUSED = 'There is nothing here.';

/** The page URL contains the code, so these headers keep it from leaking. */
const HEADERS = {
  'content-type': 'text/html; charset=utf-8',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
  connection: 'close',
};

/**
 * Keeps at most `max` connections open; one more closes the oldest. `maxConnections` refuses the newest instead, so
 * idle connections could block all others.
 */
function limitConnections(server: Server, max: number): void {
  // A Set keeps insertion order: the oldest is first.
  const open = new Set<Socket>();
  server.on('connection', (socket) => {
    open.add(socket);
    socket.once('close', () => open.delete(socket));
    if (open.size <= max) return;
    const [oldest] = open;
    if (oldest === undefined) return;
    open.delete(oldest);
    oldest.destroy();
  });
}
