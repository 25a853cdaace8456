import { resolveHttp } from '../../config/resolve/resolve-http.ts';
import { type ResolveOptions, resolveProgram } from '../../config/resolve/resolve-stdio.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { catalogKey } from '../../upstream/catalog-cache/catalog-key.ts';
import { NEWEST_LEGACY_VERSION } from '../../upstream/connection/handshake.ts';

export interface CatalogKeyOptions extends ResolveOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the server is told that the client can do: some list more to a client that can more. */
  readonly capabilities: unknown;
}

/**
 * Under which key the catalog of a server is kept: its entry with all values, and what the client can. What the server
 * gets of our surroundings without having asked for it is not in it: every terminal and every folder would be a first
 * time.
 */
export function entryCatalogKey(entry: ServerEntry, options: CatalogKeyOptions): string | undefined {
  try {
    return catalogKey({
      server: { id: entry.id, ...resolvedEntry(entry, options) },
      capabilities: options.capabilities,
      protocolVersion: NEWEST_LEGACY_VERSION,
    });
  } catch {
    // A variable is missing: the server cannot be started either, and says so then.
    return undefined;
  }
}

function resolvedEntry(entry: ServerEntry, options: CatalogKeyOptions): object {
  const { env, platform } = options;
  if (entry.transport.kind === 'http') {
    // Who is signed in is not in it: whoever signs in or out has the catalogs of the server forgotten.
    const { url, headers } = resolveHttp(entry, env, options);
    return { url, headers };
  }
  const { inheritance: asked, entryEnv: given, ...program } = resolveProgram(entry, env, options);
  const values = asked.envVars.map((name) => [name, lookUpVariable(env, name, platform)]);
  return { ...program, given, asked: values, inherits: asked.inheritEnv };
}
