import http from 'node:http';
import https from 'node:https';

/** Keeps connections open between requests, and never more than a server of ours would be surprised by. */
export interface Agents {
  readonly agent: http.Agent;
  readonly request: typeof http.request;
  /** Somebody stands between, who wants to write headers of its own. */
  readonly isProxied: boolean;
  close(): void;
}

/** A connection that rests is closed before most servers do it: who sends at that moment would lose the request. */
const IDLE_MS = 4_000;
const MAX_SOCKETS = 256;
const MAX_FREE_SOCKETS = 32;

export async function createAgents(url: URL, env: Readonly<Record<string, string | undefined>>): Promise<Agents> {
  const isSecure = url.protocol === 'https:';
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, maxFreeSockets: MAX_FREE_SOCKETS, timeout: IDLE_MS };
  const proxied = await proxyAgent(url, env);
  const agent = proxied ?? (isSecure ? new https.Agent(options) : new http.Agent(options));
  return {
    agent,
    isProxied: proxied !== undefined,
    request: isSecure ? https.request : http.request,
    close: () => agent.destroy(),
  };
}

/** The variables are those that every program knows. Most machines have none of them, and pay nothing. */
async function proxyAgent(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
): Promise<http.Agent | undefined> {
  if (!PROXY_VARIABLES.some((name) => env[name] || env[name.toLowerCase()])) return undefined;
  const { proxyFor, createProxyAgent } = await import('../../../auth/proxy.ts');
  const proxy = proxyFor(url, env);
  return proxy === undefined ? undefined : createProxyAgent(url, proxy);
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'] as const;
