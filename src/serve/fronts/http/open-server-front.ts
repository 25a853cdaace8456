import { AppError } from '../../../base/errors.ts';
import { createFixedAccess } from '../../access/fixed-token.ts';
import { accessForAnybody } from '../../access/no-auth.ts';
import type { Server } from '../../server.ts';
import { isLoopbackHost } from './allowed-hosts.ts';
import { openHttpFront } from './open-http-front.ts';
import { createServerEndpoint } from './server-endpoint.ts';

interface ServerFrontOptions {
  readonly port: number;
  readonly host?: string;
  readonly path?: string;
  readonly token?: string;
  readonly allowedHosts?: readonly string[];
}

/** Opens a front with a single endpoint. Refuses to serve other machines without a token. */
export async function openServerFront(server: Server, options: ServerFrontOptions) {
  const { port, host = '127.0.0.1', path = '/mcp', token, allowedHosts = [] } = options;
  check({ port, host, path, token });
  const front = await openHttpFront({
    listen: { host, port },
    endpoints: new Map([[path, createServerEndpoint(server)]]),
    access: token === undefined ? accessForAnybody : createFixedAccess(token),
    allowedHosts,
  });
  const shownHost = host.includes(':') ? `[${host}]` : host;
  return { url: `http://${shownHost}:${front.address.port}${path}`, close: () => front.close() };
}

interface Checked {
  readonly port: number;
  readonly host: string;
  readonly path: string;
  readonly token: string | undefined;
}

function check({ port, host, path, token }: Checked): void {
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new AppError('USAGE', `The port must be a number from 0 to 65535, not ${JSON.stringify(port)}.`);
  if (!path.startsWith('/') || /[?#\s]/.test(path))
    throw new AppError('USAGE', `The path must begin with "/" and have no query: ${JSON.stringify(path)}.`);
  if (token === '') throw new AppError('USAGE', 'The token must not be empty.');
  if (token === undefined && !isLoopbackHost(host)) {
    const message = `Other machines can reach ${host}, so clients need a token there: serveHttp(server, { host, port, token }).`;
    throw new AppError('USAGE', message);
  }
}
