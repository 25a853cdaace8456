import { AppError } from '../../base/errors.ts';
import type { Redactor } from '../../base/redaction/redact.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { visible } from '../../base/text/visible-text.ts';
import { place } from '../../config/problem.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import type { RunningStatus, ServerDetail, ToolSummary } from '../../control/status/running-status.ts';
import { describeServer, toTool } from '../../control/status/server-detail.ts';
import { summarise } from '../../control/status/server-summary.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import { isObject } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import type { AggregateGateway } from '../entry/open-aggregate.ts';
import { type Member, whyHidden } from '../servers/gateway-server.ts';
import { type ExplainedTool, explainTools } from './explain-tools.ts';

/** What a gateway tells of itself to whoever asks beside the protocol. */
export interface RunningGateway {
  list(): Listed | Promise<Listed>;
  get(serverId: string): ServerDetail | Promise<ServerDetail>;
}

type Listed = Pick<RunningStatus, 'clients' | 'servers' | 'problems'>;

export interface RunningOptions {
  readonly hasPrefix: boolean;
  readonly profile: ProfileName | undefined;
  /** What the entry of this server says, and where; secrets masked. */
  readonly settingsOf: (serverId: string) => ServerDetail['settings'];
  /** Takes secrets out of what servers said. */
  readonly redactor: Redactor;
}

export function describeGateway(gateway: AggregateGateway, options: RunningOptions): RunningGateway {
  const find = (serverId: string) => {
    const { config, members } = gateway.sources();
    const server = config.servers.find(({ id }) => id === serverId);
    if (server === undefined) throw unknownServer(serverId, config.servers);
    return { server, member: members.find(({ upstream }) => upstream.id === serverId) };
  };
  return {
    list() {
      const { config, members } = gateway.sources();
      const byId = new Map(members.map((member) => [member.upstream.id, member]));
      return {
        clients: clientNames(gateway.clients()),
        servers: config.servers.map((server) => summarise(server, toLive(byId.get(server.id), options))),
        problems: config.problems.map(({ file, line, message }) => oneLine(`${place(file, line)}: ${message}`)),
      };
    },
    get(serverId) {
      const { server, member } = find(serverId);
      return describeServer(server, member, {
        settings: options.settingsOf(serverId),
        redactor: options.redactor,
        toolList: member && toolsOf(member, gateway, options),
        remarks: member?.changes.all().map(({ name, what }) => oneLine(`${name}: ${what}`)),
      });
    },
  };
}

/** How the clients of a gateway call themselves; those who came only to ask, or have said nothing, are not among them. */
export function clientNames(clients: readonly Client[]): readonly string[] {
  return clients.flatMap(({ info, capabilities, isAttached }) => {
    if (isAttached || capabilities === undefined) return [];
    const { name, version } = isObject(info) ? info : {};
    return [oneLine([name, version].filter((word) => typeof word === 'string').join(' '), MAX_NAME) || 'a client'];
  });
}

const MAX_NAME = 100;

function toLive(member: Member | undefined, { redactor: { redact } }: RunningOptions) {
  if (member === undefined) return undefined;
  const { upstream, catalog } = member;
  const tools = offeredCount(member);
  return { upstream, catalog, tools, hiddenTools: catalog.list('tools').items.length - tools, redact };
}

function offeredCount(member: Member): number {
  const { items } = member.catalog.list('tools');
  return items.filter((tool) => whyHidden(member, tool) === undefined).length;
}

function toolsOf(member: Member, gateway: AggregateGateway, { hasPrefix, profile }: RunningOptions) {
  const name = gateway.clients()[0]?.profile ?? profile ?? 'none';
  const serverId = member.upstream.id;
  const explained = explainTools(gateway.sources(), { serverId, hasPrefix, profile: PROFILES[name] });
  const jsonByName = new Map(member.catalog.list('tools').items.map(({ key, json }) => [key, json]));
  return explained?.tools.map((tool) => toSummary(tool, jsonByName.get(tool.name) ?? '{}'));
}

function toSummary({ name, publicName, hidden, repairs, rewrites }: ExplainedTool, json: string): ToolSummary {
  const changes = [...repairs, ...rewrites.map(({ path, what }) => (path === '' ? what : `${path}: ${what}`))].map(
    (text) => oneLine(text),
  );
  return {
    ...toTool(name, json, changes),
    ...(publicName === name ? {} : { publicName: visible(publicName) }),
    ...(hidden === undefined ? {} : { hidden }),
  };
}

function unknownServer(serverId: string, servers: readonly ConfiguredServer[]): AppError {
  const near = nearestNames(
    serverId,
    servers.map(({ id }) => id),
  );
  const hint = near.length === 0 ? '' : ` Did you mean ${near.join(', ')}?`;
  return new AppError('USAGE', `This gateway has no server ${oneLine(JSON.stringify(serverId), MAX_NAME)}.${hint}`);
}
