import type { Redactor } from '../../base/redaction/redact.ts';
import type { Environment } from '../../config/files/folders.ts';
import { DEPTH_VARIABLE, nextLaunchDepth } from '../../config/resolve/launch-depth.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { PinStore } from '../../config/trust/pin-store.ts';
import { createCatalog } from '../../upstream/catalog/catalog.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { createPin } from '../../upstream/catalog/pin.ts';
import { toInitializeParams } from '../../upstream/connection/handshake.ts';
import { openEntry } from '../../upstream/entry/open-entry.ts';
import type { History } from '../../upstream/lifecycle/history.ts';
import { createStartLimiter, noStartLimit } from '../../upstream/lifecycle/start-limiter.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import { Upstream } from '../../upstream/upstream.ts';
import type { UpstreamListener } from '../../upstream/upstream-options.ts';
import { createToolChanges } from '../catalog/tool-changes.ts';
import type { GatewayLog } from '../gateway.ts';
import type { GatewaySettings } from '../settings.ts';
import type { Trace } from '../trace/trace.ts';
import type { GatewayServer } from './gateway-server.ts';

export interface ServerFactoryOptions {
  /** Our own environment, from which the environment of a server is built at each start. */
  readonly environment: Environment;
  readonly settings: GatewaySettings;
  readonly log: GatewayLog;
  /** Opens the pin store when a pinned server needs it. */
  readonly pins: () => PinStore;
  /** Masks secrets in everything servers send except results. */
  readonly redactor: Redactor;
  /** Records all messages. */
  readonly trace?: Trace | undefined;
}

interface ServerFactoryParts {
  readonly listener: UpstreamListener;
  readonly transports: Transports;
  /** Returns the capabilities of the first client. */
  readonly commonCapabilities: () => unknown;
  /** Returns the config files that define the servers. */
  readonly files: () => readonly string[];
  /** Called when the list that clients see for this server may have changed. */
  readonly onListed: (server: GatewayServer, kind: ListKind) => void;
}

/** Creates the server of a config entry without starting it. */
export type CreateServer = (entry: ServerEntry, startAfter?: Promise<void>) => GatewayServer;

/** Creates a process of a server without starting it. */
export type CreateProcess = (entry: ServerEntry, options: ProcessOptions) => Upstream;

interface ProcessOptions {
  /** Returns the client capabilities to declare to the server. */
  readonly capabilities: () => unknown;
  readonly startAfter?: Promise<void> | undefined;
  readonly history?: History | undefined;
}

export interface ServerFactory {
  readonly createServer: CreateServer;
  readonly createProcess: CreateProcess;
}

export function createServerFactory(options: ServerFactoryOptions, parts: ServerFactoryParts): ServerFactory {
  const { log } = options;
  const createProcess = createProcessFactory(options, parts);
  const createServer: CreateServer = (entry, startAfter) => {
    const { id } = entry;
    const upstream = createProcess(entry, { capabilities: parts.commonCapabilities, startAfter });
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
        parts.onListed(server, kind);
      }),
      toolChanges: createToolChanges(id, log.warn),
      pin: createPin({ id, store: options.pins, entry: () => server.entry, files: parts.files, warn: log.warn }),
      isWanted: false,
      hasUi: false,
      isPerClient: entry.share === 'client',
      owner: undefined,
      wasUsed: false,
      asksClients: false,
      hasFallbackCatalog: false,
    };
    return server;
  };
  return { createServer, createProcess };
}

function createProcessFactory(
  { environment, settings, log, redactor, trace }: ServerFactoryOptions,
  { listener, transports }: ServerFactoryParts,
): CreateProcess {
  const startLimiter = createStartLimiter();
  const addedEnv = { [DEPTH_VARIABLE]: String(nextLaunchDepth(environment.env)) };
  const onStderrLine = settings.isDebug ? (id: string, line: string) => log.debug(`${id} stderr: ${line}`) : undefined;
  return (entry, { capabilities, startAfter, history }) => {
    const open = openEntry(entry, { transports, environment, addedEnv, onStderrLine });
    return new Upstream({
      id: entry.id,
      listener,
      startLimiter: entry.transport.kind === 'stdio' ? startLimiter : noStartLimit,
      limits: entry,
      history,
      startAfter,
      credentialsChanged: () => transports.credentialsChanged(entry.id),
      // The gateway is the client, with the capabilities of the real client.
      initializeParams: () => toInitializeParams(capabilities()),
      redactor,
      open: trace?.tapTransport(entry.id, open) ?? open,
    });
  };
}
