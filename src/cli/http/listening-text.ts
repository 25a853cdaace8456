import { formatAddress, type ListenAddress } from '../../serve/access/address/listen-address.ts';
import type { HttpPlan } from '../../serve/access/address/plan-http.ts';

/** Returns the URL of the endpoint for clients on this machine. `address` is the actual one. */
export function endpointUrl({ tls }: Pick<HttpPlan, 'tls'>, address: ListenAddress): string {
  return `${tls === undefined ? 'http' : 'https'}://${formatAddress(address)}/mcp`;
}

export function listeningText(url: string, { auth, publicUrl }: Pick<HttpPlan, 'auth' | 'publicUrl'>): string {
  const how = auth === 'none' ? 'No token is needed.' : 'Clients need a token: switchboard token create <name>';
  const where = publicUrl === undefined ? '' : ` Its public URL is ${toEndpoint(publicUrl.href)}.`;
  return `Listening on ${url}.${where} ${how} (Ctrl-C to stop)`;
}

/** Behind the proxy, clients use the same path, unless the URL already contains it. */
function toEndpoint(publicUrl: string): string {
  return publicUrl.endsWith('/mcp') ? publicUrl : `${publicUrl}/mcp`;
}
