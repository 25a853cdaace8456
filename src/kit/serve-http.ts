import { AppError } from '../base/errors.ts';
import type { Server } from '../serve/server.ts';

export interface ServeHttpOptions {
  /** 0 chooses a free port. */
  readonly port: number;
  /** The address to listen on. Default: 127.0.0.1. Any address that other machines can reach needs a token. */
  readonly host?: string;
  /** Default: `/mcp`. */
  readonly path?: string;
  /** Clients must send it as `Authorization: Bearer <token>`. Default: clients need none. */
  readonly token?: string;
  /** Further names in the `Host` and `Origin` headers, such as the host name of a reverse proxy. */
  readonly allowedHosts?: readonly string[];
}

/** A server that listens. */
export interface HttpServing {
  /** The URL for clients. */
  readonly url: string;
  /** Stops listening, lets running calls finish for up to ten seconds, and disconnects all clients. */
  close(): Promise<void>;
}

/** Serves over HTTP to any number of clients. Resolves when the server listens. */
export async function serveHttp(server: Server, options: ServeHttpOptions): Promise<HttpServing> {
  if (server?.catalog === undefined) throw new AppError('USAGE', 'Pass a server that createServer returned.');
  // Servers on stdio must not load this code.
  const { openServerFront } = await import('../serve/fronts/http/open-server-front.ts');
  return openServerFront(server, options);
}
