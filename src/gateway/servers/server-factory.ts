import type { Redactor } from '../../base/redaction/redact.ts';
import { nextDepth } from '../../config/resolve/launch-depth.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import type { PinStore } from '../../config/trust/pin-store.ts';
import { createCatalog } from '../../upstream/catalog/catalog.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { createPin } from '../../upstream/catalog/pin.ts';
import type { CatalogCache } from '../../upstream/catalog-cache/catalog-cache.ts';
import { createLauncher } from '../../upstream/lifecycle/start-limiter.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import { createMemory, type Memory, NO_MEMORY } from '../cache/catalog-persistence.ts';
import { identifyCatalog } from '../cache/entry-catalog-key.ts';
import { createStartFailures, type StartFailures } from '../cache/start-failures.ts';
import { createToolChanges } from '../catalog/tool-changes.ts';
import type { GatewaySettings } from '../entry/settings.ts';
import type { Trace } from '../entry/trace.ts';
import type { GatewayLog, Hub } from '../gateway.ts';
import { createConfiguredUpstream, relayedCapabilities } from './configured-upstream.ts';
import type { Member } from './gateway-server.ts';

export interface MemberFactoryOptions {
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

interface MemberParts {
  readonly hub: Hub;
  readonly transports: Transports;
  /** From which the servers of this gateway are taken. */
  readonly files: () => readonly string[];
  /** No list waits for a server that failed: another one is waited for now, or one less. */
  readonly onFailure: () => void;
  /** What clients see of this member may be another list now. */
  readonly onListed: (member: Member, kind: ListKind) => void;
}

export interface MemberFactory {
  /** A server as the config describes it; not started. */
  create(entry: ServerEntry, startAfter?: Promise<void>): Member;
  /** What earlier runs learned of it: its catalog, and whether it failed to start. */
  recall(member: Member): void;
  /** What members offered when they were last seen. */
  readonly memory: Memory;
  /** Which of them failed to start. */
  readonly failures: StartFailures;
}

export function createMemberFactory(options: MemberFactoryOptions, parts: MemberParts): MemberFactory {
  const { cache, log } = options;
  const { hub, onListed } = parts;
  const describeUpstream = upstreamOptions(options, parts);
  const keyFor = (entry: ServerEntry, hello: unknown) =>
    identifyCatalog(entry, { ...options, capabilities: relayedCapabilities(hello) });
  const keyOf = (entry: ServerEntry) => keyFor(entry, hub.hello());
  const commonKeyOf = (entry: ServerEntry) => keyFor(entry, undefined);
  const memory = cache === undefined ? NO_MEMORY : createMemory({ cache, keyOf, commonKeyOf });
  const failures = createStartFailures({
    cache: cache?.failures,
    keyOf: ({ entry }) => commonKeyOf(entry),
    onChange: parts.onFailure,
  });

  const create = (entry: ServerEntry, startAfter?: Promise<void>): Member => {
    const { id } = entry;
    const upstream = createConfiguredUpstream(entry, { ...describeUpstream, startAfter });
    const member: Member = {
      upstream,
      entry,
      catalog: createCatalog(upstream, (kind, before) => {
        const after = member.catalog.list(kind);
        if (kind === 'tools' && member.catalog.hasList(kind)) {
          // Of a list that is not whole nobody can say what is gone. What is in it is held to what was trusted.
          if (before !== undefined && member.catalog.problem(kind) === undefined) member.changes.listed(before, after);
          if (member.entry.pin) member.pin.listed(before, after);
        }
        onListed(member, kind);
        memory.remember(member);
        if (kind === 'tools') failures.listed(member);
      }),
      changes: createToolChanges(id, log.warn),
      pin: createPin({ id, store: options.pins, entry: () => member.entry, files: parts.files, warn: log.warn }),
    };
    return member;
  };

  const recall = (member: Member) => {
    memory.recall(member);
    failures.recall(member);
  };

  return { create, recall, memory, failures };
}

function upstreamOptions(options: MemberFactoryOptions, { hub, transports }: MemberParts) {
  const { env, cwd, home, platform, settings, log, trace, redactor } = options;
  return {
    listener: hub.listener,
    transports,
    launcher: createLauncher(),
    hello: hub.hello,
    env,
    cwd,
    home,
    platform,
    depth: nextDepth(env),
    trace,
    redactor,
    onStderrLine: settings.isDebug ? (id: string, line: string) => log.debug(`${id} stderr: ${line}`) : undefined,
  };
}
