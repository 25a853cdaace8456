import type { LoadedConfig } from './server-entry.ts';
import { unknownServers } from './unknown-server.ts';

/**
 * Keeps only the servers with these names; all of them if there are no names. Throws for an unknown name unless
 * `mayBeGone`.
 */
export function selectServers(
  config: LoadedConfig,
  names: readonly string[],
  { mayBeGone = false }: { readonly mayBeGone?: boolean } = {},
): LoadedConfig {
  if (names.length === 0) return config;
  const known = config.servers.map(({ id }) => id);
  const unknown = names.filter((name) => !known.includes(name));
  if (unknown.length > 0 && !mayBeGone) throw unknownServers(unknown, config);
  return { ...config, servers: config.servers.filter(({ id }) => names.includes(id)) };
}
