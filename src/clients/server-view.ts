import type { Environment } from '../config/files/folders.ts';
import type { ServerView } from '../config/load-config.ts';
import { type ClientServers, openClientServers } from './client-servers.ts';

/** Returns the servers that a client sees: those that it had before, and those shared with it since. */
export function openServerView(client: string, environment: Environment): ServerView {
  const store = openClientServers(environment);
  return {
    file: store.file,
    visibleIds() {
      const record = store.read(client);
      return record === undefined ? undefined : visibleIds(record);
    },
  };
}

export function visibleIds({ imported, shared }: ClientServers): readonly string[] {
  return [...new Set([...imported, ...shared])];
}
