import http from 'node:http';
import https from 'node:https';

/** Connections to one server. They stay open between requests, and only a moderate number of them stays idle. */
export interface Agents {
  readonly agent: http.Agent;
  readonly request: typeof http.request;
  /** Host of the proxy, if there is one. Its agent sets further headers on each request. */
  readonly proxy: string | undefined;
  close(): void;
}

/** Idle connections are closed before most servers close them: a request sent at that moment would be lost. */
const IDLE_MS = 4_000;
const MAX_FREE_SOCKETS = 32;

export async function createAgents(url: URL, env: Readonly<Record<string, string | undefined>>): Promise<Agents> {
  const isSecure = url.protocol === 'https:';
  const options = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS, timeout: IDLE_MS };
  const proxied = await proxyAgent(url, env);
  const agent = proxied?.agent ?? (isSecure ? new https.Agent(options) : new http.Agent(options));
  // All its connections go to the same origin, so there is no need to compute the name for every request.
  agent.getName = () => url.origin;
  return {
    agent,
    proxy: proxied?.host,
    request: isSecure ? https.request : http.request,
    close: () => agent.destroy(),
  };
}

/** Reads the common proxy variables. Most machines set none of them, and then the proxy code is not loaded. */
async function proxyAgent(
  url: URL,
  env: Readonly<Record<string, string | undefined>>,
): Promise<{ readonly agent: http.Agent; readonly host: string } | undefined> {
  if (!PROXY_VARIABLES.some((name) => env[name] || env[name.toLowerCase()])) return undefined;
  const { proxyFor, createProxyAgent } = await import('./proxy.ts');
  const proxy = proxyFor(url, env);
  return proxy === undefined ? undefined : { agent: createProxyAgent(url, proxy), host: proxy.host };
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY'] as const;
