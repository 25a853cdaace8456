import type { Environment } from '../../config/files/folders.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { CatalogCache } from '../../upstream/catalog-cache/catalog-cache.ts';
import { relayedCapabilities } from '../../upstream/connection/handshake.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { type CatalogPersistence, createCatalogPersistence, NO_PERSISTENCE } from './catalog-persistence.ts';
import { entryCatalogKey } from './entry-catalog-key.ts';
import { createStartFailures, type StartFailures } from './start-failures.ts';

/** What earlier runs recorded about servers, and what this run records for later ones. */
export interface ServerRecords {
  /** The stored catalogs. */
  readonly persistence: CatalogPersistence;
  /** The recorded start failures. */
  readonly startFailures: StartFailures;
  /** Restores the catalog and the start failure of a server. */
  restore(server: GatewayServer): void;
  /** Records a list that was read, or that could not be read. */
  listed(server: GatewayServer, kind: ListKind): void;
}

export interface ServerRecordsOptions {
  /** The environment in which entries are resolved. */
  readonly environment: Environment;
  /** Stores catalogs between runs. Default: catalogs are not stored. */
  readonly cache?: CatalogCache | undefined;
}

interface ServerRecordsParts {
  /** Returns the `initialize` params of the first client. */
  readonly initializeParams: () => unknown;
  /** Called when a start failure is recorded or cleared, which changes the servers that lists wait for. */
  readonly onFailure: () => void;
}

export function createServerRecords(
  { environment, cache }: ServerRecordsOptions,
  { initializeParams, onFailure }: ServerRecordsParts,
): ServerRecords {
  const keyFor = (entry: ServerEntry, params: unknown) =>
    entryCatalogKey(entry, { ...environment, capabilities: relayedCapabilities(params) });
  const keyOf = (entry: ServerEntry) => keyFor(entry, initializeParams());
  const commonKeyOf = (entry: ServerEntry) => keyFor(entry, undefined);
  const persistence = cache === undefined ? NO_PERSISTENCE : createCatalogPersistence({ cache, keyOf, commonKeyOf });
  const startFailures = createStartFailures({
    cache: cache?.failures,
    keyOf: ({ entry }) => commonKeyOf(entry),
    onChange: onFailure,
  });
  return {
    persistence,
    startFailures,
    restore(server) {
      persistence.restore(server);
      startFailures.restore(server);
    },
    listed(server, kind) {
      persistence.scheduleWrite(server);
      if (kind === 'tools') startFailures.listed(server);
    },
  };
}
