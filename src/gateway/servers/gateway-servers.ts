import type { LoadedConfig } from '../../config/server-entry.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { chooseProfile } from '../../schema/profiles/registry.ts';
import { LIST_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { Transports } from '../../upstream/transports/transports.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import { finishLearning } from '../cache/finish-caching.ts';
import { createPreparation, type KeepList } from '../cache/snapshot-writer.ts';
import { plainNames, prefixedNames } from '../catalog/naming-scheme.ts';
import { type Catalogs, createCatalogs } from '../catalog/profile-catalogs.ts';
import type { Client } from '../client/client.ts';
import type { Hub } from '../gateway.ts';
import { listChangeOf } from '../routing/aggregate-routing.ts';
import { mergeInstructions } from '../status/instructions.ts';
import { statusResource } from '../status/status-resource.ts';
import { type ConfigChange, createApplyConfig } from './apply-config.ts';
import type { Member } from './gateway-server.ts';
import { createLaunchOrder } from './launch-order.ts';
import { createSettling, type Settling } from './readiness.ts';
import { createMemberFactory, type MemberFactoryOptions } from './server-factory.ts';
import { Roster } from './server-registry.ts';

export interface ServersOptions extends MemberFactoryOptions {
  readonly config: LoadedConfig;
  readonly hasPrefix: boolean;
  /** For every client the same; undefined: each as it needs. */
  readonly profile?: ProfileName | undefined;
  /** Every server that is known from before is started at its first call. */
  readonly isLazy?: boolean | undefined;
  /** Keeps the list of tools for the next start. */
  readonly keepList?: KeepList | undefined;
}

/** All servers of a config: which they are, what they offer together, and who is told when that changes. */
export interface Servers {
  readonly roster: Roster;
  readonly catalogs: Catalogs;
  readonly settling: Settling;
  /** A client has said hello: what is known of them is recalled, and they are started, or only the one that is named. */
  start(only?: string): void;
  /** A client has its list of tools: what was put off for its sake is done now. */
  listAnswered(): void;
  /** The state of one of them may have changed. */
  stateChanged(upstream: Upstream): void;
  /** The config is another one now. */
  apply(config: LoadedConfig): ConfigChange;
  /** Somebody may have trusted tools that were held back. */
  trustChanged(): void;
  /** The clients have left: servers that nobody knows yet may list their tools, the others are stopped. */
  learn(withinMs: number): Promise<void>;
  /** Before they are stopped: those that never listed their tools have failed to start. */
  closing(): void;
  /** When all of them have been stopped; resolves when everything is kept that was learned. */
  close(): Promise<void>;
}

interface ServersParts {
  readonly hub: Hub;
  readonly transports: Transports;
  /** A list of this server was read, or the request for it failed. */
  readonly onListed: (member: Member) => void;
}

export function createServers(options: ServersOptions, { hub, transports, onListed }: ServersParts): Servers {
  let { config } = options;
  const roster = new Roster();
  const settling = createSettling(() => roster.members);
  const factory = createMemberFactory(options, {
    hub,
    transports,
    files: () => config.files.map(({ file }) => file),
    onListed: (member, kind) => listed(member, kind),
    onFailure() {
      preparation.changed();
      settling.look();
    },
  });
  const { memory, failures } = factory;
  const catalogs = createCatalogs({
    members: () => roster.members,
    names: options.hasPrefix ? prefixedNames : plainNames,
    own: { resources: [statusResource] },
  });
  const isLazy = ({ entry }: Member) => options.isLazy === true || entry.start === 'lazy';
  const launchOrder = createLaunchOrder(isLazy);
  const applyConfig = createApplyConfig({ ...hub, roster, factory, isLazy });
  const preparation = createPreparation({
    roster,
    catalogs,
    memory,
    failures,
    instructions: () => mergeInstructions(roster.members, config, options),
    config: () => config,
    profile: () => options.profile ?? chooseProfile(clientInfo(hub.hello())),
    keep: async (list) => options.keepList?.(list, hub.hello()),
  });

  const tellChanged = (kind: ListKind) => {
    if (kind === 'tools') preparation.changed();
    for (const client of hub.clients) tellListChange(client, kind, catalogs);
    settling.look();
  };

  const listed = (member: Member, kind: ListKind) => {
    catalogs.changed(member, kind);
    tellChanged(kind);
    onListed(member);
  };

  applyConfig(config);
  return {
    roster,
    catalogs,
    settling,
    start(only) {
      roster.members.forEach(factory.recall);
      catalogs.membersChanged();
      if (only === undefined) launchOrder.begin(roster.members);
      else launchAlone(roster.members, only);
    },
    listAnswered() {
      launchOrder.listAnswered();
      memory.listAnswered();
      failures.listAnswered(roster.members);
    },
    stateChanged: (upstream) => failures.stateChanged(roster.find(upstream)),
    apply(next) {
      config = next;
      const before = roster.members;
      const change = applyConfig(next);
      const isSame = Object.values(change).flat().length === 0 && isSameOrder(before, roster.members);
      // The list may be the same, but it is made from other files now.
      preparation.changed();
      if (isSame) return change;
      catalogs.membersChanged();
      LIST_KINDS.forEach(tellChanged);
      return change;
    },
    trustChanged() {
      for (const member of roster.members) {
        member.pin.reread();
        listed(member, 'tools');
      }
    },
    learn(withinMs) {
      // Kept before anything is waited for: whoever asked us to end may not be patient.
      memory.writeNow();
      failures.clientsLeft(roster.members);
      return finishLearning(roster.members, settling, withinMs);
    },
    closing: () => failures.freeze(roster.members),
    async close() {
      await memory.close();
      failures.close();
      // After the catalogs: the list is made from those.
      await preparation.close();
    },
  };
}

function isSameOrder(before: readonly Member[], after: readonly Member[]): boolean {
  return before.length === after.length && before.every((member, index) => member === after[index]);
}

/** Unless it would read the same list again. */
function tellListChange(client: Client, kind: ListKind, catalogs: Catalogs): void {
  const version = () => catalogs.of(client.profile).version(kind);
  client.lists.changed(kind, version, () => client.notify(listChangeOf(kind)));
}

function clientInfo(hello: unknown): unknown {
  return isObject(hello) ? hello['clientInfo'] : undefined;
}

function launchAlone(members: readonly Member[], serverId: string): void {
  for (const { upstream } of members) {
    if (upstream.id === serverId) upstream.start();
    else upstream.rest();
  }
}
