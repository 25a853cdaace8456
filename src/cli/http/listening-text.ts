import { formatAddress, type ListenAddress } from '../../serve/access/address/listen-address.ts';
import type { HttpPlan } from '../../serve/access/address/plan-http.ts';

/** Returns the URL of the endpoint for clients on this machine. `address` is the actual one. */
export function endpointUrl({ tls }: Pick<HttpPlan, 'tls'>, address: ListenAddress): string {
  return `${tls === undefined ? 'http' : 'https'}://${formatAddress(address)}/mcp`;
}

export function listeningText(url: string, { auth }: Pick<HttpPlan, 'auth'>): string {
  const how = auth === 'none' ? 'No token is needed.' : 'Clients need a token: switchboard token create <name>';
  return `Listening on ${url}. ${how} (Ctrl-C to stop)`;
}
