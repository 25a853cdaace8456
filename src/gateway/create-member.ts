import { nextDepth } from '../config/depth.ts';
import type { PinStore } from '../config/pin-store.ts';
import type { ServerEntry } from '../config/server-entry.ts';
import { createCatalog } from '../upstream/catalog.ts';
import type { CatalogCache } from '../upstream/catalog-cache.ts';
import { createLauncher } from '../upstream/launcher.ts';
import type { ListKind } from '../upstream/listing.ts';
import type { Transports } from '../upstream/transports/open.ts';
import { identifyCatalog } from './catalog-identity.ts';
import { createConfiguredUpstream, relayedCapabilities } from './configured-upstream.ts';
import type { GatewayLog, Hub } from './gateway.ts';
import type { Member } from './member.ts';
import { createMemory, type Memory, NO_MEMORY } from './memory.ts';
import { createPin } from './pin.ts';
import type { GatewaySettings } from './settings.ts';
import { createToolChanges } from './tool-changes.ts';
import type { Trace } from './trace.ts';

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
  /** Takes secrets out of what servers say on stderr. */
  readonly redact?: ((text: string) => string) | undefined;
  /** Writes down what passes. */
  readonly trace?: Trace | undefined;
}

interface MemberParts {
  readonly hub: Hub;
  readonly transports: Transports;
  /** From which the servers of this gateway are taken. */
  readonly files: () => readonly string[];
  /** What clients see of this member may be another list now. */
  readonly onListed: (member: Member, kind: ListKind) => void;
}

export interface MemberFactory {
  /** A server as the config describes it; not started. */
  create(entry: ServerEntry, startAfter?: Promise<void>): Member;
  /** What members offered when they were last seen. */
  readonly memory: Memory;
}

export function createMemberFactory(options: MemberFactoryOptions, parts: MemberParts): MemberFactory {
  const { cache, log } = options;
  const { hub, onListed } = parts;
  const describeUpstream = upstreamOptions(options, parts);
  const keyOf = (entry: ServerEntry) =>
    identifyCatalog(entry, { ...options, capabilities: relayedCapabilities(hub.hello()) });
  const memory = cache === undefined ? NO_MEMORY : createMemory({ cache, keyOf });

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
      }),
      changes: createToolChanges(id, log.warn),
      pin: createPin({ id, store: options.pins, entry: () => member.entry, files: parts.files, warn: log.warn }),
    };
    return member;
  };

  return { create, memory };
}

function upstreamOptions(options: MemberFactoryOptions, { hub, transports }: MemberParts) {
  const { env, home, platform, settings, log, trace, redact } = options;
  return {
    listener: hub.listener,
    transports,
    launcher: createLauncher(),
    hello: hub.hello,
    env,
    home,
    platform,
    depth: nextDepth(env),
    trace,
    redact,
    onStderrLine: settings.isDebug ? (id: string, line: string) => log.debug(`${id} stderr: ${line}`) : undefined,
  };
}
