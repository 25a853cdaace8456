import http from 'node:http';
import https from 'node:https';

/** Keeps connections open between requests, and never more than a server of ours would be surprised by. */
export interface Agents {
  readonly agent: http.Agent;
  readonly request: typeof http.request;
  /** Who stands between, and wants to write headers of its own. */
  readonly proxy: string | undefined;
  close(): void;
}

/** A connection that rests is closed before most servers do it: who sends at that moment would lose the request. */
const IDLE_MS = 4_000;
const MAX_FREE_SOCKETS = 32;

export async function createAgents(url: URL, env: Readonly<Record<string, string | undefined>>): Promise<Agents> {
  const isSecure = url.protocol === 'https:';
  const options = { keepAlive: true, maxFreeSockets: MAX_FREE_SOCKETS, timeout: IDLE_MS };
  const proxied = await proxyAgent(url, env);
  const agent = proxied?.agent ?? (isSecure ? new https.Agent(options) : new http.Agent(options));
  // All its connections lead to one place: nobody has to spell that out for every request.
  agent.getName = () => url.origin;
  return {
    agent,
    proxy: proxied?.host,
    request: isSecure ? https.request : http.request,
    close: () => agent.destroy(),
  };
}

/** The variables are those that every program knows. Most machines have none of them, and pay nothing. */
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
