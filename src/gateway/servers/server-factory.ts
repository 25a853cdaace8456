import type { Redactor } from '../../base/redaction/redact.ts';
import { nextLaunchDepth } from '../../config/resolve/launch-depth.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { PinStore } from '../../config/trust/pin-store.ts';
import { createCatalog } from '../../upstream/catalog/catalog.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { createPin } from '../../upstream/catalog/pin.ts';
import type { CatalogCache } from '../../upstream/catalog-cache/catalog-cache.ts';
import { createStartLimiter } from '../../upstream/lifecycle/start-limiter.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import { type CatalogPersistence, createCatalogPersistence, NO_PERSISTENCE } from '../cache/catalog-persistence.ts';
import { entryCatalogKey } from '../cache/entry-catalog-key.ts';
import { createStartFailures, type StartFailures } from '../cache/start-failures.ts';
import { createToolChanges } from '../catalog/tool-changes.ts';
import type { GatewaySettings } from '../entry/settings.ts';
import type { Trace } from '../entry/trace.ts';
import type { GatewayCore, GatewayLog } from '../gateway.ts';
import { createConfiguredUpstream, relayedCapabilities } from './configured-upstream.ts';
import type { GatewayServer } from './gateway-server.ts';

export interface ServerFactoryOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly home: string;
  /** The base for relative paths in variables. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly settings: GatewaySettings;
  readonly log: GatewayLog;
  /** Stores catalogs between runs. Default: catalogs are not stored. */
  readonly cache?: CatalogCache | undefined;
  /** Opens the pin store when a pinned server needs it. */
  readonly pins: () => PinStore;
  /** Masks secrets in everything servers send except results. */
  readonly redactor: Redactor;
  /** Records all messages. */
  readonly trace?: Trace | undefined;
}

interface ServerFactoryParts {
  readonly core: GatewayCore;
  readonly transports: Transports;
  /** Returns the config files that define the servers. */
  readonly files: () => readonly string[];
  /** Called when a start failure is recorded or cleared, which changes the servers that lists wait for. */
  readonly onFailure: () => void;
  /** Called when the list that clients see for this server may have changed. */
  readonly onListed: (server: GatewayServer, kind: ListKind) => void;
}

export interface ServerFactory {
  /** Creates the server of a config entry without starting it. */
  create(entry: ServerEntry, startAfter?: Promise<void>): GatewayServer;
  /** Restores the data of earlier runs: the catalog and a start failure. */
  restore(server: GatewayServer): void;
  /** The stored catalogs. */
  readonly persistence: CatalogPersistence;
  /** The recorded start failures. */
  readonly startFailures: StartFailures;
}

export function createServerFactory(options: ServerFactoryOptions, parts: ServerFactoryParts): ServerFactory {
  const { cache, log } = options;
  const { core, onListed } = parts;
  const describeUpstream = upstreamOptions(options, parts);
  const catalogKeyFor = (entry: ServerEntry, initializeParams: unknown) =>
    entryCatalogKey(entry, { ...options, capabilities: relayedCapabilities(initializeParams) });
  const keyOf = (entry: ServerEntry) => catalogKeyFor(entry, core.initializeParams());
  const commonKeyOf = (entry: ServerEntry) => catalogKeyFor(entry, undefined);
  const persistence = cache === undefined ? NO_PERSISTENCE : createCatalogPersistence({ cache, keyOf, commonKeyOf });
  const startFailures = createStartFailures({
    cache: cache?.failures,
    keyOf: ({ entry }) => commonKeyOf(entry),
    onChange: parts.onFailure,
  });

  const create = (entry: ServerEntry, startAfter?: Promise<void>): GatewayServer => {
    const { id } = entry;
    const upstream = createConfiguredUpstream(entry, { ...describeUpstream, startAfter });
    const server: GatewayServer = {
      upstream,
      entry,
      catalog: createCatalog(upstream, (kind, before) => {
        const after = server.catalog.list(kind);
        if (kind === 'tools' && server.catalog.hasList(kind)) {
          // An incomplete list does not show which tools were removed. The tools in it are still compared with the pin.
          if (before !== undefined && server.catalog.problem(kind) === undefined)
            server.toolChanges.listed(before, after);
          if (server.entry.pin) server.pin.toolsListed(before, after);
        }
        onListed(server, kind);
        persistence.scheduleWrite(server);
        if (kind === 'tools') startFailures.listed(server);
      }),
      toolChanges: createToolChanges(id, log.warn),
      pin: createPin({ id, store: options.pins, entry: () => server.entry, files: parts.files, warn: log.warn }),
    };
    return server;
  };

  const restore = (server: GatewayServer) => {
    persistence.restore(server);
    startFailures.restore(server);
  };

  return { create, restore, persistence, startFailures };
}

function upstreamOptions(options: ServerFactoryOptions, { core, transports }: ServerFactoryParts) {
  const { env, cwd, home, platform, settings, log, trace, redactor } = options;
  return {
    listener: core.listener,
    transports,
    launcher: createStartLimiter(),
    clientInitializeParams: core.initializeParams,
    environment: { env, cwd, home, platform },
    depth: nextLaunchDepth(env),
    trace,
    redactor,
    onStderrLine: settings.isDebug ? (id: string, line: string) => log.debug(`${id} stderr: ${line}`) : undefined,
  };
}
