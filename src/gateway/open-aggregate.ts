import type { ConfigProblem, LoadedConfig } from '../config/server-entry.ts';
import { chooseProfile } from '../schema/profiles/all.ts';
import type { ProfileName } from '../schema/profiles/profile.ts';
import { LIST_KINDS, type ListKind } from '../upstream/listing.ts';
import { createTransports } from '../upstream/transports/open.ts';
import { isObject } from '../wire/messages.ts';
import { createAggregateRouting, listChangeOf } from './aggregate.ts';
import { type ConfigChange, createApplyConfig } from './apply-config.ts';
import { type Catalogs, createCatalogs } from './catalogs.ts';
import type { Client } from './client.ts';
import { createMemberFactory, type MemberFactoryOptions } from './create-member.ts';
import type { ErrorStyle } from './errors.ts';
import { createHub, type Gateway, type Hub } from './gateway.ts';
import { mergeInstructions } from './instructions.ts';
import { createLaunchOrder } from './launch-order.ts';
import type { Member } from './member.ts';
import { plainNames, prefixedNames } from './name-table.ts';
import { mayBeNameOf } from './names.ts';
import { createPreparation, type KeepList, type Preparation, type PreparationOptions } from './prepare-list.ts';
import { Roster } from './roster.ts';
import { createSettling } from './settling.ts';
import { checkCommand, describeServers, type ServerStatus, type StatusSources, statusText } from './status.ts';
import { statusResource } from './status-resource.ts';

export interface AggregateGatewayOptions extends MemberFactoryOptions {
  readonly config: LoadedConfig;
  readonly hasPrefix: boolean;
  /** For every client the same; undefined: each as it needs. */
  readonly profile?: ProfileName | undefined;
  /** Every server that is known from before is started at its first call. */
  readonly isLazy?: boolean | undefined;
  /** Keeps the list of tools for the next start. */
  readonly keepList?: KeepList | undefined;
}

export interface AggregateGateway extends Gateway {
  status(): readonly ServerStatus[];
  /** From which the status is made. */
  sources(): StatusSources;
  /** Starts every server, without a client. */
  start(): void;
  /** Starts one server and no other, as if a client had said this hello. Of the others is known what is remembered. */
  startAlone(serverId: string, hello: unknown): void;
  /** Calls back once: when every server is ready or has failed, at the latest so long after they were started. */
  onSettled(timeoutMs: number, callback: () => void): void;
  /** The config is another one now: only what changed is started, stopped or replaced. */
  apply(config: LoadedConfig): ConfigChange;
  /** The config cannot be used as it is now, and this is why: the servers stay as they are. */
  keep(problems: readonly ConfigProblem[]): void;
  /** Somebody may have trusted tools that were held back. */
  trustChanged(): void;
}

/** All servers of a config behind one gateway. */
export function openAggregateGateway(options: AggregateGatewayOptions): AggregateGateway {
  const { settings, hasPrefix, log } = options;
  const transports = createTransports(options.env);
  const hub = createHub(log);
  const roster = new Roster();
  const factory = createMemberFactory(options, { hub, transports, onListed: (member, kind) => listed(member, kind) });
  const { memory } = factory;
  const settling = createSettling(() => roster.members);
  const own = { resources: [statusResource] };
  const catalogs = createCatalogs({
    own,
    members: () => roster.members,
    names: hasPrefix ? prefixedNames : plainNames,
  });
  const isLazy = ({ entry }: Member) => options.isLazy === true || entry.start === 'lazy';
  const launchOrder = createLaunchOrder(isLazy);
  const applyConfig = createApplyConfig({ ...hub, roster, factory, isLazy });
  let config = options.config;
  applyConfig(config);
  const catalogShown = () => catalogs.of([...hub.clients][0]?.profile ?? options.profile ?? 'none');
  const sources = () => ({ config, members: roster.members, catalog: catalogShown() });
  const status = () => describeServers(sources());
  let whenStarted = () => {};

  const preparation = prepareLists({ options, hub, roster, catalogs, memory });

  const tellChanged = (kind: ListKind) => {
    if (kind === 'tools') preparation.changed();
    for (const client of hub.clients) tellListChange(client, kind, catalogs);
    settling.look();
  };

  const listed = (member: Member, kind: ListKind) => {
    catalogs.changed(member, kind);
    tellChanged(kind);
  };

  const start = (params: unknown, launch: (members: readonly Member[]) => void = launchOrder.begin) => {
    if (!hub.start(params)) return;
    for (const member of roster.members) memory.recall(member);
    catalogs.membersChanged();
    launch(roster.members);
    whenStarted();
  };

  const gateway = hub.open({
    upstreams: () => roster.upstreams(),
    routing: createAggregateRouting({
      roster,
      clients: hub.clients,
      catalogs,
      settling,
      settings,
      profile: options.profile,
      instructions: () => mergeInstructions(roster.members, config),
      onHello: (params) => start(params),
      onListAnswered() {
        launchOrder.listAnswered();
        memory.listAnswered();
      },
      mayOwn: hasPrefix ? mayBeNameOf : () => true,
      whyAbsent: (name) => whyAbsent(name, status()),
      status: () => statusText(sources()),
    }),
    errorStyle: errorStyle(options, () => config),
  });

  return {
    ...gateway,
    status,
    sources,
    start: () => start({}),
    startAlone: (serverId, hello) => start(hello, (members) => launchAlone(members, serverId)),
    onSettled(timeoutMs, callback) {
      whenStarted = () => settling.whenAllListed('tools', timeoutMs, callback);
    },
    apply(next) {
      config = next;
      const change = applyConfig(next);
      catalogs.membersChanged();
      for (const kind of LIST_KINDS) tellChanged(kind);
      return change;
    },
    keep(problems) {
      config = { ...config, problems };
    },
    trustChanged() {
      for (const member of roster.members) {
        member.pin.reread();
        listed(member, 'tools');
      }
    },
    async close() {
      await gateway.close();
      await Promise.all([transports.close(), memory.close()]);
      await preparation.close();
    },
  };
}

/** Unless it would read the same list again. */
function tellListChange(client: Client, kind: ListKind, catalogs: Catalogs): void {
  const version = () => catalogs.of(client.profile).version(kind);
  client.lists.changed(kind, version, () => client.notify(listChangeOf(kind)));
}

interface ListParts extends Pick<PreparationOptions, 'roster' | 'catalogs' | 'memory'> {
  readonly options: AggregateGatewayOptions;
  readonly hub: Hub;
}

function prepareLists({ options: { profile, keepList }, hub, ...parts }: ListParts): Preparation {
  const clientInfo = () => {
    const hello = hub.hello();
    return isObject(hello) ? hello['clientInfo'] : undefined;
  };
  return createPreparation({
    ...parts,
    profile: () => profile ?? chooseProfile(clientInfo()),
    keep: async (list) => keepList?.(list, hub.hello()),
  });
}

function whyAbsent(toolName: string, servers: readonly ServerStatus[]): string | undefined {
  const server = servers.find(({ id, state }) => state !== 'ready' && mayBeNameOf(id, toolName));
  if (server === undefined) return undefined;
  const next = server.next === undefined ? '' : ` Next: ${server.next}`;
  return `Its server ${server.id} is ${server.state}: ${server.reason ?? 'no reason is known'}.${next}`;
}

function errorStyle({ settings, log }: AggregateGatewayOptions, config: () => LoadedConfig): ErrorStyle {
  return {
    isPassthrough: settings.isErrorPassthrough,
    asToolResult: false,
    nextCommand(serverId) {
      const server = config().servers.find(({ id }) => id === serverId);
      return server === undefined ? 'switchboard gateway --check' : checkCommand(server);
    },
    debug: settings.isDebug ? log.debug : undefined,
  };
}

function launchAlone(members: readonly Member[], serverId: string): void {
  for (const { upstream } of members) {
    if (upstream.id === serverId) upstream.start();
    else upstream.rest();
  }
}
