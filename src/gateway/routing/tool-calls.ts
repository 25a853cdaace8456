import { AppError, toAppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { isSafeToRepeat } from '../../schema/definitions/definition.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import type { Route } from '../catalog/public-list.ts';
import type { Client } from '../client/client.ts';
import { findAppTool } from '../extensions/app-tools.ts';
import { resultHooks } from '../extensions/result-hooks.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import { createWaitForTool, needsPinCheck } from './awaited-tool-call.ts';
import { failureResponse } from './error-response.ts';
import { type ForwardableRequest, ForwardedRequest } from './forwarded-request.ts';
import { createOutsideView } from './outside-view.ts';
import type { StatusTexts } from './routing.ts';

/** A tool call, by the name that the client uses for the tool. A `CallFrame` is one. */
interface ToolCall extends ForwardableRequest {
  readonly name: string;
  /** Whether the client asked for a task. */
  readonly isTask: boolean;
}

/**
 * Forwards a tool call to the server that has the tool. If no server has listed it, or its server must be compared with
 * its pin first, the call waits.
 */
export type RouteToolCall = (client: Client, call: ToolCall, exchange: Exchange) => void;

export function createToolCallRouter(servers: GatewayServers, status: StatusTexts): RouteToolCall {
  const { pool } = servers;
  const outsideView = createOutsideView(servers);

  const forward = (client: Client, route: Route, call: ToolCall, exchange: Exchange) => {
    const { server, key: upstreamName, definition } = route;
    let upstream: Upstream;
    try {
      upstream = pool.acquire(server, client, call);
    } catch (error) {
      const context = { method: 'tools/call', publicName: call.name, serverName: server.upstream.id };
      return exchange.respond(failureResponse(call.idText, toAppError(error), context, client.errorStyle));
    }
    const target = { upstream, upstreamName, isIdempotent: isSafeToRepeat(definition) };
    const mayStartTask = call.isTask || client.mayGetTasks;
    const hooks = mayStartTask || server.hasUi ? resultHooks(servers, { client, upstream, mayStartTask }) : undefined;
    client.forward(new ForwardedRequest({ client, request: call, target, exchange, hooks }));
  };

  const unknownTool = (client: Client, name: string): AppError => {
    const outside = outsideView.tool(client, name);
    if (outside !== undefined) return outside;
    const absence = status.whyAbsent(client, name);
    if (absence !== undefined) return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}. ${absence}`);
    const suggestions = nearestNames(name, servers.catalogOf(client).names('tools'));
    const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
    return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}.${hint}`, { data: { suggestions } });
  };

  const waitForTool = createWaitForTool(servers, unknownTool);

  /** Handles a call of a name that no server has listed: an app uses the name on its own server. */
  const callUnlisted = (client: Client, call: ToolCall, exchange: Exchange) => {
    const { idText } = call;
    try {
      const app = servers.viewOf(client).hasPrefix ? findAppTool(servers.catalogOf(client), call.name) : undefined;
      if (app !== undefined && !needsPinCheck(app.server)) return forward(client, app, call, exchange);
      const name = app?.name ?? call.name;
      waitForTool(client, { idText, name, exchange, forward: (found) => forward(client, found, call, exchange) });
    } catch (error) {
      const context = { method: 'tools/call', publicName: call.name, serverName: undefined };
      exchange.respond(failureResponse(idText, toAppError(error), context, client.errorStyle));
    }
  };

  return (client, call, exchange) => {
    const route = servers.catalogOf(client).find('tools', call.name);
    if (route === undefined) return callUnlisted(client, call, exchange);
    if (!needsPinCheck(route.server)) return forward(client, route, call, exchange);
    const { idText, name } = call;
    waitForTool(client, { idText, name, exchange, forward: (found) => forward(client, found, call, exchange) });
  };
}
