import type { Environment } from '../config/files/folders.ts';
import type { ClientViews } from '../config/load-config.ts';
import { type ClientServers, openClientServers } from './client-servers.ts';

/** Returns the servers that clients see: those that each had before, and those shared with it since. */
export function openClientViews(environment: Environment): ClientViews {
  const store = openClientServers(environment);
  return {
    file: store.file,
    read: () => new Map(Object.entries(store.readAll()).map(([client, record]) => [client, visibleIds(record)])),
  };
}

export function visibleIds({ imported, shared }: ClientServers): readonly string[] {
  return [...new Set([...imported, ...shared])];
}
