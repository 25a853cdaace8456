import { formatClientInfo } from '../../control/status/client-info.ts';
import type { Client } from '../client/client.ts';

/**
 * Returns the names and versions of the clients, without attached clients and those that are not initialized. Equal
 * ones are counted.
 */
export function clientNames(clients: readonly Client[]): readonly string[] {
  const counts = new Map<string, number>();
  for (const { info, capabilities, isAttached } of clients) {
    if (isAttached || capabilities === undefined) continue;
    const name = formatClientInfo(info) || 'a client';
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const names = [...counts].map(([name, count]) => (count === 1 ? name : `${name} (${count} times)`));
  const [shown, hidden] = [names.slice(0, MAX_CLIENTS), names.slice(MAX_CLIENTS)];
  return hidden.length === 0 ? shown : [...shown, `${hidden.length} others`];
}

const MAX_CLIENTS = 20;
