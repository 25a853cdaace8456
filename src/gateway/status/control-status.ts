import type { Redactor } from '../../base/redaction/redact.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { formatLocation } from '../../config/problem.ts';
import { unknownServer } from '../../config/unknown-server.ts';
import type { RunningStatus, ServerDetail, ToolSummary } from '../../control/status/running-status.ts';
import { describeServer, toToolSummary } from '../../control/status/server-detail.ts';
import { summarizeServer } from '../../control/status/server-summary.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import type { AggregateGateway } from '../open/open-aggregate.ts';
import { type GatewayServer, toLiveServer } from '../servers/gateway-server.ts';
import type { GatewayView } from '../views/gateway-view.ts';
import { clientNames } from './client-names.ts';
import { type ExplainedTool, explainTools } from './explain-tools.ts';

/** Provides the status of a gateway to the control socket. */
export interface StatusProvider {
  list(): StatusList | Promise<StatusList>;
  get(serverId: string): ServerDetail | Promise<ServerDetail>;
}

type StatusList = Pick<RunningStatus, 'clients' | 'servers' | 'problems'>;

export interface StatusProviderOptions {
  readonly hasPrefix: boolean;
  readonly profile: ProfileName | undefined;
  /** Returns the settings of the config entry with their locations. Secrets are masked. */
  readonly settingsOf: (serverId: string) => ServerDetail['settings'];
  /** Masks secrets in text from servers. */
  readonly redactor: Redactor;
  /** Limits the status to the servers of a view. */
  readonly view?: GatewayView | undefined;
}

export function createStatusProvider(gateway: AggregateGateway, options: StatusProviderOptions): StatusProvider {
  const { redact } = options.redactor;
  const find = (serverId: string) => {
    const { config, servers, processesOf } = gateway.statusSources(options.view);
    const server = config.servers.find(({ id }) => id === serverId);
    if (server === undefined) throw unknownServer(oneLine(serverId, MAX_NAME), config);
    const member = servers.find(({ upstream }) => upstream.id === serverId);
    return { server, member, processes: member && processesOf(member) };
  };
  return {
    list() {
      const { config, servers, processesOf } = gateway.statusSources(options.view);
      const byId = new Map(servers.map((gatewayServer) => [gatewayServer.upstream.id, gatewayServer]));
      return {
        clients: clientNames(gateway.clients()),
        servers: config.servers.map((server) => {
          const gatewayServer = byId.get(server.id);
          return summarizeServer(server, gatewayServer && toLiveServer(gatewayServer, processesOf(gatewayServer)), {
            redact,
          });
        }),
        problems: gateway
          .problems(options.view)
          .map(({ file, line, message }) => oneLine(`${formatLocation(file, line)}: ${message}`)),
      };
    },
    get(serverId) {
      const { server, member: gatewayServer, processes } = find(serverId);
      return describeServer(server, gatewayServer && { ...gatewayServer, processes }, {
        settings: options.settingsOf(serverId),
        redactor: options.redactor,
        toolList: gatewayServer && toolsOf(gatewayServer, gateway, options),
        remarks: gatewayServer?.toolChanges.all().map(({ name, what }) => oneLine(`${name}: ${what}`)),
      });
    },
  };
}

const MAX_NAME = 100;

function toolsOf(
  gatewayServer: GatewayServer,
  gateway: AggregateGateway,
  { hasPrefix, profile, view }: StatusProviderOptions,
) {
  const name = gateway.clients()[0]?.profile ?? profile ?? 'none';
  const serverId = gatewayServer.upstream.id;
  const explained = explainTools(gateway.statusSources(view), { serverId, hasPrefix, profile: PROFILES[name] });
  const jsonByName = new Map(gatewayServer.catalog.list('tools').items.map(({ key, json }) => [key, json]));
  return explained?.tools.map((tool) => explainedToSummary(tool, jsonByName.get(tool.name) ?? '{}'));
}

function explainedToSummary({ name, publicName, hidden, repairs, rewrites }: ExplainedTool, json: string): ToolSummary {
  const changes = [...repairs, ...rewrites.map(({ path, what }) => (path === '' ? what : `${path}: ${what}`))].map(
    (text) => oneLine(text),
  );
  return {
    ...toToolSummary(name, json, changes),
    ...(publicName === name ? {} : { publicName: escapeInvisible(publicName) }),
    ...(hidden === undefined ? {} : { hidden }),
  };
}
