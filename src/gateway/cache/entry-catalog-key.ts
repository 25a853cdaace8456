import type { Environment } from '../../config/files/folders.ts';
import { entryVariables } from '../../config/resolve/entry-variables.ts';
import { resolveHttp } from '../../config/resolve/resolve-http.ts';
import { resolveProgram } from '../../config/resolve/resolve-stdio.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { catalogKey } from '../../upstream/catalog-cache/catalog-key.ts';
import { NEWEST_LEGACY_VERSION } from '../../wire/protocol-versions.ts';

export interface CatalogKeyOptions extends Environment {
  /** The capabilities sent to the server. Some servers list more tools to a client with more capabilities. */
  readonly capabilities: unknown;
}

/**
 * Returns the cache key of a server: its resolved entry and the client's capabilities. Variables that the server
 * inherits without naming them are not part of the key, otherwise every terminal and every folder would miss the cache.
 */
export function entryCatalogKey(entry: ServerEntry, options: CatalogKeyOptions): string | undefined {
  try {
    return catalogKey({
      server: { id: entry.id, ...resolvedEntry(entry, options) },
      capabilities: options.capabilities,
      protocolVersion: NEWEST_LEGACY_VERSION,
    });
  } catch {
    // A variable is missing. Starting the server fails for the same reason and reports it.
    return undefined;
  }
}

function resolvedEntry(entry: ServerEntry, options: CatalogKeyOptions): object {
  const { platform } = options;
  const env = entryVariables(entry, options);
  if (entry.transport.kind === 'http') {
    // The sign-in is not part of the key, because signing in or out removes the catalogs of the server.
    const { url, headers } = resolveHttp(entry, env, options);
    return { url, headers };
  }
  const { inheritance, entryEnv, ...program } = resolveProgram(entry, env, options);
  const values = inheritance.envVars.map((name) => [name, lookUpVariable(env, name, platform)]);
  return { ...program, given: entryEnv, asked: values, inherits: inheritance.inheritEnv };
}
