import { SWITCHBOARD_INFO } from '../../base/version.ts';
import { createChanges, waitUntil } from '../../base/wait-until.ts';
import { entryIdentity } from '../../config/entry/entry-identity.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { PinStore } from '../../config/trust/pin-store.ts';
import type { Definition } from '../../schema/definitions/definition.ts';
import type { DefinitionList } from '../../schema/definitions/definition-list.ts';
import { createCatalog } from '../../upstream/catalog/catalog.ts';
import { LIST_CHANGED_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import { createPin } from '../../upstream/catalog/pin.ts';
import { toInitializeParams } from '../../upstream/connection/handshake.ts';
import { openEntry } from '../../upstream/entry/open-entry.ts';
import { createStartLimiter, noStartLimit } from '../../upstream/lifecycle/start-limiter.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import { Upstream } from '../../upstream/upstream.ts';
import type { UpstreamListener } from '../../upstream/upstream-options.ts';
import { isObject } from '../../wire/messages.ts';
import type { HostContext } from '../host-config.ts';
import type { HostOptions } from '../host-options.ts';
import type { HostServerRequests } from '../server-requests/server-requests.ts';
import { createToolIndex, type HostServer, isServerSettled } from './host-server.ts';

export interface HostServersOptions extends HostContext {
  readonly transports: Transports;
  /** Opens the store when a pinned server needs it. */
  readonly pins: () => PinStore;
  readonly serverRequests: HostServerRequests;
  readonly onListed: (kind: ListKind) => void;
}

/** All usable servers of the config, started and kept running. */
export interface HostServers {
  readonly all: readonly HostServer[];
  /** A closed host calls nothing and lists nothing. */
  isClosed(): boolean;
  /** Resolves when the servers have listed this kind or have failed, after `timeoutMs` at the latest. */
  settled(kind: ListKind, options: SettledOptions): Promise<void>;
  /** Waits for one server whose list is outdated. */
  refreshed(server: HostServer, kind: ListKind): Promise<void>;
  close(): Promise<void>;
}

interface SettledOptions {
  /** The servers to wait for. Default: all. */
  readonly servers?: readonly HostServer[];
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** A server that sends `list_changed` all the time must not block its own calls. */
const REFRESH_TIMEOUT_MS = 5_000;
/** Default for entries without a request timeout. */
const REQUEST_TIMEOUT_MS = 30_000;

export function createHostServers(options: HostServersOptions): HostServers {
  const { config, transports, environment, serverRequests, log, onListed } = options;
  const changes = createChanges();
  let isClosed = false;
  const find = (upstream: Upstream) => all.find((server) => server.upstream === upstream);

  const listener: UpstreamListener = {
    stateChanged(upstream) {
      log.state(upstream);
      changes.changed();
    },
    connected: (upstream) => find(upstream)?.catalog.connected(),
    disconnected: (upstream) => serverRequests.cancel(upstream),
    request: (upstream, message, frame, call) => void serverRequests.handle({ upstream, message, frame, call }),
    notification(upstream, { method, params }) {
      const kinds = LIST_CHANGED_KINDS.get(String(method));
      for (const kind of kinds ?? []) find(upstream)?.catalog.changed(kind);
      if (method === 'notifications/cancelled')
        serverRequests.cancel(upstream, isObject(params) ? (params['requestId'] ?? NaN) : NaN);
      if (method === 'notifications/message') log.message(upstream, params);
    },
    invalidMessage: (upstream, error) => log.debug(`${upstream.id}: ${error.message}`),
  };

  const startLimiter = createStartLimiter();
  const clientInfo = clientInfoFor(options.application);
  const all = config.servers.flatMap((configured): HostServer[] => {
    if (configured.verdict.kind !== 'usable') return [];
    const { entry } = configured.verdict;
    const upstream = new Upstream({
      id: entry.id,
      listener,
      startLimiter: entry.transport.kind === 'stdio' ? startLimiter : noStartLimit,
      limits: { ...entry, requestTimeoutMs: entry.requestTimeoutMs ?? REQUEST_TIMEOUT_MS },
      isDeadlinePaused: () => options.isSigningIn(entry.id),
      credentialsChanged: () => transports.credentialsChanged(entry.id),
      initializeParams: () => toInitializeParams(serverRequests.capabilities, clientInfo),
      open: openEntry(entry, { transports, environment, defaultCwd: environment.cwd }),
      redactor: log.redactor,
    });
    const pin = openPin(entry, options);
    const catalog = createCatalog(upstream, (kind, before) => {
      const list = catalog.list(kind);
      const isPinChanged = kind === 'tools' && catalog.hasList(kind) && pin.toolsListed(before, list);
      changes.changed();
      if (isPinChanged || isChanged(list, before)) onListed(kind);
    });
    const [identity, startedAt] = [entryIdentity(entry), performance.now()];
    const { whyQuarantined, quarantineRevision } = pin;
    const findTool = createToolIndex(catalog, entry, whyQuarantined);
    return [
      { upstream, catalog, entry, configured, whyQuarantined, quarantineRevision, identity, startedAt, findTool },
    ];
  });
  for (const { upstream } of all) upstream.start();

  const waitForServers = async (isDone: () => boolean, timeoutMs: number, signal?: AbortSignal) => {
    // An aborted wait ends like a timeout: the caller gets what is known by then.
    await waitUntil(changes, () => isClosed || isDone(), { timeoutMs, signal }).catch(() => false);
  };

  return {
    all,
    isClosed: () => isClosed,
    settled: (kind, { servers = all, timeoutMs, signal }) =>
      waitForServers(() => servers.every((server) => isServerSettled(server, kind)), timeoutMs, signal),
    refreshed(server, kind) {
      const { entry, upstream } = server;
      // A call to a pinned server waits for the comparison with its pin, so the call itself would not start the server.
      if (entry.pin) upstream.startOnDemand();
      const withinMs = entry.pin ? upstream.requestTimeoutMs : REFRESH_TIMEOUT_MS;
      return waitForServers(() => isServerSettled(server, kind), withinMs);
    },
    async close() {
      isClosed = true;
      changes.changed();
      await Promise.all(all.map(({ upstream }) => upstream.close()));
    },
  };
}

interface HostPin extends Pick<HostServer, 'whyQuarantined' | 'quarantineRevision'> {
  /** Returns whether other tools of an unchanged list are held back now. */
  toolsListed(before: DefinitionList | undefined, after: DefinitionList): boolean;
}

/** Opens the pin of a server. Without a pin, no tool is held back. */
function openPin(entry: ServerEntry, { config, pins, log }: HostServersOptions): HostPin {
  if (!entry.pin) return { whyQuarantined: () => undefined, quarantineRevision: () => 0, toolsListed: () => false };
  const files = () => config.files.map(({ file }) => file);
  const pin = createPin({ id: entry.id, store: pins, entry: () => entry, files, warn: log.warn });
  const isHeld = (tool: Definition) => pin.whyQuarantined(tool) !== undefined;
  let revision = 0;
  return {
    whyQuarantined: pin.whyQuarantined,
    quarantineRevision: () => revision,
    toolsListed(before, after) {
      const heldBefore = new Set(before === after ? after.items.filter(isHeld) : []);
      // Somebody may have trusted tools since the last list.
      pin.reload();
      pin.toolsListed(before, after);
      if (before !== after || after.items.every((tool) => isHeld(tool) === heldBefore.has(tool))) return false;
      revision++;
      return true;
    },
  };
}

/** Ignores a first empty list: having nothing of a kind is not a change. */
function isChanged(now: DefinitionList, before: DefinitionList | undefined): boolean {
  const isStillNothing = now.items.length === 0 && (before?.items.length ?? 0) === 0;
  return now !== before && !isStillNothing;
}

function clientInfoFor({ name, version }: HostOptions): unknown {
  if (name === undefined) return SWITCHBOARD_INFO;
  return { name, version: version ?? '0' };
}
