import { lookUpVariable } from '../config/environment.ts';
import { type ResolveOptions, resolveProgram } from '../config/resolve-stdio.ts';
import type { ServerEntry } from '../config/server-entry.ts';
import { catalogKey } from '../upstream/catalog-key.ts';
import { NEWEST_LEGACY_VERSION } from '../upstream/handshake.ts';

export interface IdentityOptions extends ResolveOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** What the server is told that the client can do: some list more to a client that can more. */
  readonly capabilities: unknown;
}

/**
 * Under which key the catalog of a server is kept: its entry with all values, and what the client can. What the server
 * gets of our surroundings without having asked for it is not in it: every terminal and every folder would be a first
 * time.
 */
export function identifyCatalog(entry: ServerEntry, options: IdentityOptions): string | undefined {
  const { env, platform } = options;
  try {
    const { asked, ...program } = resolveProgram(entry, env, options);
    const values = asked.envVars.map((name) => [name, lookUpVariable(env, name, platform)]);
    return catalogKey({
      server: { id: entry.id, ...program, asked: values, inherits: asked.inheritEnv },
      capabilities: options.capabilities,
      protocolVersion: NEWEST_LEGACY_VERSION,
    });
  } catch {
    // A variable is missing: the server cannot be started either, and says so then.
    return undefined;
  }
}
