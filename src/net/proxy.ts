import * as http from 'node:http';
import * as https from 'node:https';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as connectTls } from 'node:tls';
import { AppError } from '../base/errors.ts';
import { oneLine } from '../base/text/safe-text.ts';
import { classifyHost, normalizeHostname } from './address-scope.ts';

type EnvironmentVariables = Readonly<Record<string, string | undefined>>;

/**
 * Returns the proxy that the environment names for a URL. Lower-case variables win, as in other programs. Loopback
 * requests never use a proxy, because the proxy would connect to its own machine.
 */
export function proxyFor(url: URL, env: EnvironmentVariables): URL | undefined {
  const names = url.protocol === 'https:' ? ['https_proxy', 'all_proxy'] : ['http_proxy', 'all_proxy'];
  const name = names
    .flatMap((small) => [small, small.toUpperCase()])
    .find((candidate) => (env[candidate] ?? '') !== '');
  if (name === undefined || classifyHost(url.hostname) === 'loopback') return undefined;
  if (isBypassed(url, env['no_proxy'] ?? env['NO_PROXY'] ?? '')) return undefined;
  return parseProxy(env[name] ?? '', name);
}

/** Matches `*`, or names that include their subdomains, with an optional leading dot and an optional port. */
function isBypassed(url: URL, exceptions: string): boolean {
  const host = normalizeHostname(url.hostname);
  const port = url.port === '' ? (url.protocol === 'https:' ? '443' : '80') : url.port;
  return exceptions
    .split(/[\s,]+/)
    .filter((exception) => exception !== '')
    .some((exception) => {
      if (exception === '*') return true;
      const [, name = '', wanted] = /^(?:\*?\.)?(\[.*\]|[^:]*|.*:.*:.*?)(?::(\d+))?$/.exec(exception) ?? [];
      const suffix = normalizeHostname(name);
      if (suffix === '' || (wanted !== undefined && wanted !== port)) return false;
      return host === suffix || host.replace(/^\[|\]$/g, '') === suffix || host.endsWith(`.${suffix}`);
    });
}

function parseProxy(text: string, name: string): URL {
  const full = text.includes('://') ? text : `http://${text}`;
  const proxy = URL.canParse(full) ? new URL(full) : undefined;
  const isKnown = proxy !== undefined && ['http:', 'https:'].includes(proxy.protocol) && proxy.hostname !== '';
  if (isKnown && isReadable(proxy)) return proxy;
  if (isKnown)
    throw new AppError(
      'CONFIG_INVALID',
      `The proxy in the variable ${name} has a % in its user name or password that must be written %25.`,
    );
  const kind =
    proxy === undefined
      ? 'is not a URL'
      : `has the unsupported scheme ${oneLine(proxy.protocol, 40).replace(/:$/, '')}`;
  throw new AppError(
    'CONFIG_INVALID',
    `The proxy in the variable ${name} ${kind}: set it to http://host:port, or name the host in NO_PROXY.`,
  );
}

function isReadable({ username, password }: URL): boolean {
  try {
    return typeof decodeURIComponent(username + password) === 'string';
  } catch {
    // Invalid percent-encoding.
    return false;
  }
}

/**
 * Creates an agent whose requests go through the proxy. An https target uses a tunnel with TLS inside it. For an http
 * target the request names the whole URL, which requires its headers to be an object, not a list.
 */
export function createProxyAgent(target: URL, proxy: URL, { keepAlive = true } = {}): http.Agent {
  return target.protocol === 'https:' ? tunnelAgent(target, proxy, keepAlive) : forwardAgent(target, proxy, keepAlive);
}

type Done = (error: unknown, socket?: Duplex) => void;

function tunnelAgent(target: URL, proxy: URL, keepAlive: boolean): http.Agent {
  return Object.assign(new https.Agent({ keepAlive }), {
    createConnection: (options: Readonly<Record<string, unknown>>, done: Done) => {
      tunnel(target, proxy).then((socket) => done(null, connectTls({ ...options, socket: socket as Socket })), done);
    },
  });
}

function forwardAgent(target: URL, proxy: URL, keepAlive: boolean): http.Agent {
  const agent = proxy.protocol === 'https:' ? new https.Agent({ keepAlive }) : new http.Agent({ keepAlive });
  const { createConnection, addRequest } = agent as unknown as AgentInternals;
  return Object.assign(agent, {
    protocol: 'http:',
    createConnection: (options: object, done: Done) =>
      createConnection.call(agent, { ...options, ...proxyEndpoint(proxy) }, done),
    addRequest: (request: http.ClientRequest, options: object) => {
      request.path = `${target.origin}${request.path}`;
      const authorization = proxyAuthorization(proxy);
      for (const [name, value] of Object.entries(authorization)) request.setHeader(name, value);
      addRequest.call(agent, request, options);
    },
  });
}

/** The types of Node 20 have neither. The first is documented; the second is what every proxy agent overrides. */
interface AgentInternals {
  createConnection(options: object, done: Done): Duplex;
  addRequest(request: http.ClientRequest, options: object): void;
}

/** Opens a connection to the host of `target` through the proxy (CONNECT). The caller adds TLS. */
export function tunnel(target: URL, proxy: URL): Promise<Duplex> {
  const host = `${target.hostname}:${target.port === '' ? 443 : target.port}`;
  const send = proxy.protocol === 'https:' ? https.request : http.request;
  return new Promise((resolve, reject) => {
    const request = send({
      ...proxyEndpoint(proxy),
      method: 'CONNECT',
      path: host,
      headers: { host, ...proxyAuthorization(proxy) },
      agent: false,
      timeout: TUNNEL_TIMEOUT_MS,
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${TUNNEL_TIMEOUT_MS / 1000} s`)));
    request.once('connect', ({ statusCode }, socket, head) => {
      socket.setTimeout(0);
      if (statusCode === 200) {
        if (head.length > 0) socket.unshift(head);
        return resolve(socket);
      }
      socket.destroy();
      reject(tunnelFailure(proxy, host, `it returned HTTP status ${statusCode}`));
    });
    request.once('response', ({ statusCode }) => {
      request.destroy();
      reject(tunnelFailure(proxy, host, `it returned HTTP status ${statusCode}`));
    });
    request.once('error', (cause) => reject(tunnelFailure(proxy, host, cause.message, cause)));
    request.end();
  });
}

const TUNNEL_TIMEOUT_MS = 15_000;

function proxyEndpoint(proxy: URL): { readonly host: string; readonly port: number } {
  const port = proxy.port === '' ? (proxy.protocol === 'https:' ? 443 : 80) : Number(proxy.port);
  return { host: proxy.hostname.replace(/^\[|\]$/g, ''), port };
}

function proxyAuthorization({ username, password }: URL): Readonly<Record<string, string>> {
  if (username === '' && password === '') return {};
  const userAndPassword = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return { 'proxy-authorization': `Basic ${Buffer.from(userAndPassword).toString('base64')}` };
}

function tunnelFailure(proxy: URL, host: string, why: string, cause?: unknown): AppError {
  return new AppError('CONNECTION_CLOSED', `The proxy ${proxy.host} did not connect to ${host}: ${why}.`, { cause });
}
