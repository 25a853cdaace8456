import { oneLine } from '../../../base/text/safe-text.ts';
import { cacheFolder } from '../../../config/files/folders.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { entryCatalogKey } from '../../../gateway/cache/entry-catalog-key.ts';
import { openCatalogCache, type StoredCatalog } from '../../../upstream/catalog-cache/catalog-cache.ts';
import type { StartFailure } from '../../../upstream/catalog-cache/failure-cache.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';

/** Cached data about servers from gateways and commands. No method throws. */
export interface ServerCache {
  /** Returns the cached catalog for the first of these clients that has one. */
  readCatalog(entry: ServerEntry, clients: readonly Capabilities[]): StoredCatalog | undefined;
  /** Stores the catalog of a server that was started and has listed its tools to a client with these capabilities. */
  storeCatalog(entry: ServerEntry, client: Capabilities, catalog: StoredCatalog): void;
  /** Returns why the last start failed, if it did. */
  readFailure(entry: ServerEntry): StartFailure | undefined;
  /** Stores that the server did not become ready in its usual time. No client waits for it until it has started. */
  storeFailure(entry: ServerEntry, failure: StartFailure): void;
}

export type Capabilities = Readonly<Record<string, unknown>>;

/** The minimal client: a server offers every other client at least the same. */
export const NO_CAPABILITIES: Capabilities = {};
/** Capabilities of Codex. */
export const CODEX_CAPABILITIES: Capabilities = {
  experimental: { 'codex/auth-change': {} },
  elicitation: { form: {}, url: {} },
};

const MAX_REASON = 200;

export function openServerCache(context: Pick<CommandContext, 'cwd' | 'home' | 'env' | 'configFiles'>): ServerCache {
  const environment = environmentOf(context);
  const cache = openCatalogCache({ folder: cacheFolder(environment), now: Date.now, onProblem() {} });
  const keyOf = (entry: ServerEntry, capabilities: Capabilities) =>
    entryCatalogKey(entry, { ...environment, capabilities });
  return {
    readCatalog(entry, clients) {
      if (cache.isEmpty()) return undefined;
      for (const client of clients) {
        const key = keyOf(entry, client);
        const found = key === undefined ? undefined : cache.read(entry.id, key);
        if (found !== undefined) return found;
      }
      return undefined;
    },
    storeCatalog(entry, client, catalog) {
      const key = keyOf(entry, client);
      if (key !== undefined) cache.writeSync(entry.id, key, catalog);
      const common = keyOf(entry, NO_CAPABILITIES);
      if (common !== undefined) cache.failures.remove(entry.id, common);
    },
    readFailure(entry) {
      const common = cache.failures.mayHave(entry.id) ? keyOf(entry, NO_CAPABILITIES) : undefined;
      return common === undefined ? undefined : cache.failures.read(entry.id, common);
    },
    storeFailure(entry, { code, message }) {
      const common = keyOf(entry, NO_CAPABILITIES);
      if (common !== undefined) cache.failures.write(entry.id, common, { code, message: oneLine(message, MAX_REASON) });
    },
  };
}
