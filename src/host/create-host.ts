import { setMaxListeners } from 'node:events';
import { homedir } from 'node:os';
import { callSafely } from '../base/call-safely.ts';
import { AppError, messageOf } from '../base/errors.ts';
import type { Environment } from '../config/files/folders.ts';
import { openPinStore } from '../config/trust/pin-store.ts';
import type { ServerDetail, ServerSummary } from '../control/status/running-status.ts';
import { createTransports } from '../upstream/transports/transports.ts';
import { checkHostOptions } from './check-options.ts';
import { readHostConfig } from './host-config.ts';
import type { HostOptions } from './host-options.ts';
import type { Decision } from './permissions/permission-options.ts';
import { createPermissions, type Permissions } from './permissions/permissions.ts';
import { createStoredResults, type PiecePlace, type ResultPiece } from './results/stored-results.ts';
import { errorMessage, type ToolMessage } from './results/tool-message.ts';
import { createServerRequests } from './server-requests/server-requests.ts';
import { createSignIns } from './server-requests/sign-ins.ts';
import type { HostServer } from './servers/host-server.ts';
import { createHostServers } from './servers/host-servers.ts';
import { createHostPrompts, type HostPrompts } from './servers/prompts.ts';
import { createHostResources, type HostResources } from './servers/resources.ts';
import { createSendRequest } from './servers/send-request.ts';
import { type ChangedKind, createChangeBatcher } from './status/change-batcher.ts';
import { createHostLog, type HostLog } from './status/host-log.ts';
import { createHostStatus } from './status/host-status.ts';
import type { AgentTool, RunOptions } from './tools/agent-tool.ts';
import { createAgentTools, type ToolsOptions } from './tools/agent-tools.ts';

/** All MCP servers of a config, as tools that an agent can run. */
export interface Host {
  /**
   * Lists the tools that the agent may call now; empty when the host is closed. Waits for servers that are starting, at
   * most `timeoutMs` (default: 10 s).
   */
  tools(options?: ToolsOptions): Promise<readonly AgentTool[]>;
  /** Runs a tool by its name. Never rejects: a refusal, a failure and an unknown name are messages too. */
  run(name: string, args: unknown, options?: RunOptions): Promise<ToolMessage>;
  /** Returns the server and its own name for a tool; undefined for the host's own tools and for unknown names. */
  resolve(name: string): { readonly server: string; readonly tool: string } | undefined;
  /** Returns the current state of every configured server. */
  list(): readonly ServerSummary[];
  /** Returns all details of one server. */
  get(serverId: string): ServerDetail;
  readonly resources: Omit<HostResources, 'find'>;
  /** Prompts are for people, not for the model. */
  readonly prompts: HostPrompts;
  /** Forgets remembered decisions: of a tool, of a server, or all. */
  forget: Permissions['forget'];
  /** Reads a shortened result in full, piece by piece. */
  readResult(reference: string, place?: PiecePlace): ResultPiece;
  /** Config problems that do not belong to a single server. */
  readonly problems: readonly string[];
  /** Closes every connection and stops every process that the host started. May be called twice, never throws. */
  close(): Promise<void>;
  [Symbol.asyncDispose](): Promise<void>;
}

/**
 * Opens a host: starts its servers and keeps them running until the host is closed. Throws when the config is unusable,
 * or when an option would not have the effect that it suggests.
 *
 * @example
 * await using host = await createHost({ permissions: { confirm: askPerson } });
 * for (const tool of await host.tools()) agent.add(tool);
 */
export async function createHost(options: HostOptions = {}): Promise<Host> {
  checkHostOptions(options);
  const { cwd = process.cwd(), env = process.env } = options;
  const environment: Environment = { cwd, env: { ...env }, home: homedir(), platform: process.platform };
  const hostConfig = await readHostConfig(options, environment);
  const { config } = hostConfig;
  const closing = new AbortController();
  // Every pending user prompt adds a listener.
  setMaxListeners(0, closing.signal);
  const signIns = createSignIns(options, closing.signal);
  const transports = createTransports(environment.env, { environment, signIn: signIns.signIn });
  const log = createHostLog(options, { config, environment, tokens: transports.tokens });
  const permissions = openPermissions(options, log, closing.signal);
  const serverRequests = createServerRequests(options, log.warn);
  const context = { ...hostConfig, environment, application: options, log, isSigningIn: signIns.isPending };
  const sendRequest = createSendRequest(context, serverRequests);
  const changes = createChangeBatcher((kind) => notifyChange(options, kind, log));
  const servers = createHostServers({
    ...context,
    transports,
    serverRequests,
    pins: () => openPinStore(environment),
    onListed: changes.changed,
  });
  const resources = createHostResources(servers, sendRequest);
  const prompts = createHostPrompts(servers, sendRequest);
  const storedResults = createStoredResults();
  const refreshed = (server: HostServer) => servers.refreshed(server, 'tools');
  const { maxResultBytes } = options;
  const runtime = { sendRequest, permissions, refreshed, storedResults, maxResultBytes };
  const tools = createAgentTools({ servers, resources, runtime, hasPrompts: options.promptsAsTools === true });
  const status = createHostStatus(context, servers);
  const control = options.isVisible === false ? undefined : status.open(log.debug);
  let closed: Promise<void> | undefined;

  const close = async () => {
    closing.abort(new AppError('CONNECTION_CLOSED', 'The host is being closed.'));
    changes.close();
    await servers.close();
    await transports.close();
    await (await control)?.close();
  };
  const closeOnce = () => {
    closed ??= close();
    return closed;
  };
  return {
    tools: tools.list,
    resolve: (name) => {
      const origin = tools.find(name)?.origin;
      return origin && { server: origin.server, tool: origin.tool };
    },
    async run(name, args, runOptions) {
      const tool = tools.find(name) ?? (await tools.waitFor(name, runOptions?.signal));
      return tool?.run(args, runOptions) ?? errorMessage(tools.unknown(name));
    },
    list: status.list,
    get: status.get,
    resources,
    prompts,
    forget: permissions.forget,
    readResult: storedResults.read,
    problems: config.problems.map(({ message }) => message),
    close: closeOnce,
    [Symbol.asyncDispose]: closeOnce,
  };
}

/** Logs every decision as well. */
function openPermissions({ permissions = {} }: HostOptions, log: HostLog, closing: AbortSignal): Permissions {
  const { onDecision = () => {} } = permissions;
  // `createPermissions` rejects a value that is not a function, together with the other options.
  const isUsable = typeof onDecision === 'function';
  const logAndNotify = (decision: Decision) => {
    log.decided(decision);
    return onDecision(decision);
  };
  return createPermissions(isUsable ? { ...permissions, onDecision: logAndNotify } : permissions, {
    now: Date.now,
    warn: log.warn,
    closing,
  });
}

function notifyChange({ onChange }: HostOptions, kind: ChangedKind, log: HostLog): void {
  callSafely(
    () => onChange?.(kind),
    (error) => log.warn(`onChange failed: ${messageOf(error)}`),
  );
}
