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
  /** From which a relative path in a variable counts. */
  readonly cwd: string;
  readonly platform: NodeJS.Platform;
  readonly settings: GatewaySettings;
  readonly log: GatewayLog;
  /** Where catalogs are kept from run to run; undefined: nowhere. */
  readonly cache?: CatalogCache | undefined;
  /** Opened when a pinned server needs it. */
  readonly pins: () => PinStore;
  /** Takes secrets out of what servers say beside results. */
  readonly redactor: Redactor;
  /** Writes down what passes. */
  readonly trace?: Trace | undefined;
}

interface ServerFactoryParts {
  readonly core: GatewayCore;
  readonly transports: Transports;
  /** From which the servers of this gateway are taken. */
  readonly files: () => readonly string[];
  /** No list waits for a server that failed: another one is waited for now, or one less. */
  readonly onFailure: () => void;
  /** What clients see of this member may be another list now. */
  readonly onListed: (server: GatewayServer, kind: ListKind) => void;
}

export interface ServerFactory {
  /** A server as the config describes it; not started. */
  create(entry: ServerEntry, startAfter?: Promise<void>): GatewayServer;
  /** What earlier runs learned of it: its catalog, and whether it failed to start. */
  restore(server: GatewayServer): void;
  /** What members offered when they were last seen. */
  readonly persistence: CatalogPersistence;
  /** Which of them failed to start. */
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
          // Of a list that is not whole nobody can say what is gone. What is in it is held to what was trusted.
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
    env,
    cwd,
    home,
    platform,
    depth: nextLaunchDepth(env),
    trace,
    redactor,
    onStderrLine: settings.isDebug ? (id: string, line: string) => log.debug(`${id} stderr: ${line}`) : undefined,
  };
}
