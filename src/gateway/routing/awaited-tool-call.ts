import { AppError, toAppError } from '../../base/errors.ts';
import { isStartingOrReady } from '../../upstream/state.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Route } from '../catalog/public-list.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import { DeferredResponse } from './deferred-response.ts';
import { failureResponse } from './error-response.ts';

/** A call of a tool that no server has listed, or whose server must be compared with its pin first. */
export interface AwaitedToolCall {
  readonly idText: string;
  readonly name: string;
  readonly exchange: Exchange;
  /** Forwards the call to the server that has the tool. */
  readonly forward: (route: Route) => void;
}

/**
 * Waits for servers that have not listed their tools yet, failed to list them, or must be compared with their pin. Then
 * calls the server that has the tool, or answers the client with an error.
 */
export function createWaitForTool(
  servers: GatewayServers,
  toUnknownToolError: (client: Client, name: string) => AppError,
): (client: Client, call: AwaitedToolCall) => void {
  const { registry, readiness } = servers;

  const find = (client: Client, call: AwaitedToolCall, tried: readonly GatewayServer[]) => {
    const { idText, name, exchange, forward } = call;
    const view = servers.viewOf(client);
    const next = view
      .servers()
      .find((server) => !tried.includes(server) && mayListMoreTools(server) && view.mayOwn(server.upstream.id, name));
    const [only] = tried.length === 1 ? tried : [next];
    const context = { method: 'tools/call', publicName: name, serverName: only?.upstream.id };
    const replyError = (error: AppError) =>
      exchange.respond(failureResponse(idText, error, context, client.errorStyle));
    if (next === undefined) return replyError((only && listingError(only)) ?? toUnknownToolError(client, name));
    const refusal = next.upstream.rejectionReason();
    if (refusal !== undefined) return replyError(refusal);

    const deferred = new DeferredResponse({ client, idText, context, exchange });
    next.upstream.startOnDemand();
    next.catalog.retry('tools');
    const isDone = () => deferred.isDone || !registry.servers.includes(next) || hasListedTools(next);
    readiness.callWhen(isDone, next.upstream.requestTimeoutMs, () => {
      if (!deferred.release()) return;
      const route = servers.catalogOf(client).find('tools', name);
      // If the server was replaced meanwhile, its successor may have the tool.
      const isStillConfigured = registry.servers.includes(next);
      if (route === undefined || needsPinCheck(route.server))
        return find(client, call, isStillConfigured ? [...tried, next] : tried);
      try {
        forward(route);
      } catch (error) {
        replyError(toAppError(error));
      }
    });
  };

  return (client, call) => find(client, call, []);
}

/**
 * Returns whether the tools of a pinned server may have changed since they were compared with the pin, because the
 * server is starting or its list is being read. Until the comparison, none of its tools may be called.
 */
export function needsPinCheck({ entry, upstream, catalog }: GatewayServer): boolean {
  return entry.pin && (upstream.state.kind !== 'ready' || !catalog.isFresh('tools'));
}

/** Returns whether the server has not listed its tools yet, failed to list them, or needs a pin check. */
function mayListMoreTools(server: GatewayServer): boolean {
  const { catalog } = server;
  return !catalog.isListed('tools') || catalog.hasFailed('tools') || needsPinCheck(server);
}

/** Returns whether the server has listed its tools or is unavailable. */
function hasListedTools(server: GatewayServer): boolean {
  const { upstream, catalog } = server;
  return !isStartingOrReady(upstream.state) || (catalog.isListed('tools') && !needsPinCheck(server));
}

/** Returns why the only server that could own the tool has not listed its tools. */
function listingError(server: GatewayServer): AppError | undefined {
  const { upstream, catalog } = server;
  if (upstream.state.kind === 'error') return upstream.state.error;
  const isListed = catalog.isListed('tools') && !needsPinCheck(server);
  return isListed ? undefined : (upstream.rejectionReason() ?? notReadyInTime(upstream.id));
}

function notReadyInTime(serverId: string): AppError {
  return new AppError('TIMED_OUT', `${serverId} was not ready in time. Try again in a moment.`);
}
