import { openAuthStore } from '../../auth/store/auth-store.ts';
import { messageOf } from '../../base/errors.ts';
import { oneLine } from '../../base/text/safe-text.ts';
import { VERSION } from '../../base/version.ts';
import type { Environment } from '../../config/files/folders.ts';
import { entryVariables } from '../../config/resolve/entry-variables.ts';
import { resolveHttp } from '../../config/resolve/resolve-http.ts';
import type { ConfiguredServer } from '../../config/server-entry.ts';
import { unknownServers } from '../../config/unknown-server.ts';
import type { ControlSocket } from '../../control/socket/control-socket.ts';
import { formatClientInfo } from '../../control/status/client-info.ts';
import type { RunningStatus, ServerDetail, ServerSummary } from '../../control/status/running-status.ts';
import { describeServer, toToolSummary } from '../../control/status/server-detail.ts';
import { summarizeServer } from '../../control/status/server-summary.ts';
import type { HostContext } from '../host-config.ts';
import { offeredTools, toLiveServer } from '../servers/host-server.ts';
import type { HostServers } from '../servers/host-servers.ts';
import { toolName } from '../tools/tool-name.ts';

/** State of a host's servers, for the application and for clients of the control socket. */
export interface HostStatus {
  list(): readonly ServerSummary[];
  get(serverId: string): ServerDetail;
  /** Opens the control socket for other processes of this user. Undefined when no socket can be opened. */
  open(onProblem: (text: string) => void): Promise<ControlSocket | undefined>;
}

export function createHostStatus(context: HostContext, servers: HostServers): HostStatus {
  const { config, settingsOf, isSigningIn, environment, application } = context;
  const { redactor } = context.log;
  const startedAt = Date.now();
  const find = (id: string) => servers.all.find(({ upstream }) => upstream.id === id);

  const summarizeOne = (server: ConfiguredServer): ServerSummary => {
    const live = find(server.id);
    const row = summarizeServer(server, live && toLiveServer(live), { redact: redactor.redact });
    return { ...row, source: sourceOf(server), ...(isSigningIn(server.id) ? SIGNING_IN : {}) };
  };

  const get = (serverId: string): ServerDetail => {
    const server = config.servers.find(({ id }) => id === serverId);
    if (server === undefined) throw unknownServers(oneLine(String(serverId), MAX_SHOWN_ID), config);
    const live = find(serverId);
    const toolList =
      live &&
      offeredTools(live).map(({ key, json, repairs }) => ({
        ...toToolSummary(key, json, repairs),
        publicName: toolName(serverId, key),
      }));
    const detail = describeServer(server, live, { settings: settingsOf(server), toolList, redactor });
    const signIn = readSignIn(server, environment);
    return {
      ...detail,
      source: sourceOf(server),
      ...(signIn === undefined ? {} : { signIn }),
      ...(isSigningIn(serverId) ? SIGNING_IN : {}),
    };
  };

  const list = () => config.servers.map(summarizeOne);
  const { name = 'an application', version } = application;
  const status = (): RunningStatus => ({
    ...{ v: 1, role: 'host', pid: process.pid, version: VERSION, startedAt, cwd: environment.cwd },
    ...(typeof application.config === 'string' ? { configFile: application.config } : {}),
    clients: [formatClientInfo({ name, version })],
    servers: list(),
    problems: config.problems.map(({ message }) => oneLine(message)),
  });

  return {
    list,
    get,
    async open(onProblem) {
      try {
        const { openHostControl } = await import('./host-control.ts');
        return await openHostControl({ environment, onProblem, status, get });
      } catch (error) {
        // An application may have bundled the host without this module. Everything else still works.
        onProblem(`The status of this host cannot be queried: ${messageOf(error)}`);
        return undefined;
      }
    },
  };
}

/** A host has no command line: an entry that is in no file comes from the program. */
function sourceOf({ origin: { layer } }: ConfiguredServer): string {
  return layer === 'command-line' ? 'program' : layer;
}

/**
 * Returns undefined when nobody has signed in, or when the record is unreadable; the server state then shows the
 * reason.
 */
function readSignIn({ id, verdict }: ConfiguredServer, environment: Environment): ServerDetail['signIn'] {
  if (verdict.kind !== 'usable' || verdict.entry.transport.kind !== 'http') return undefined;
  try {
    const { url } = resolveHttp(verdict.entry, entryVariables(verdict.entry, environment), environment);
    const record = openAuthStore(environment).read(id, url);
    if (record?.accessToken === undefined) return undefined;
    const { expiresAt, scope = '' } = record;
    const scopes = scope.split(' ').filter((word) => word !== '');
    return { ...(expiresAt === undefined ? {} : { expiresAt }), scopes };
  } catch {
    // A missing variable or a damaged file: the connection fails with the same error and reports it.
    return undefined;
  }
}

const MAX_SHOWN_ID = 100;
const SIGNING_IN = { state: 'auth_required', note: 'waiting for the user to sign in' } as const;
