import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import { isSafeToRepeat } from '../../schema/definitions/definition.ts';
import type { Route } from '../catalog/merged-list.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import { createWaitForTool, needsPinCheck } from './awaited-tool-call.ts';
import { type ForwardableRequest, ForwardedRequest, type Reply } from './forwarded-request.ts';
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
export type RouteToolCall = (client: Client, call: ToolCall, reply: Reply) => void;

export function createToolCallRouter(servers: GatewayServers, status: StatusTexts): RouteToolCall {
  const { catalogs, pool, tasks } = servers;

  const forward = (client: Client, route: Route, call: ToolCall, reply: Reply) => {
    const { server, key: upstreamName, definition } = route;
    const target = { upstream: pool.acquire(server, client), upstreamName, isIdempotent: isSafeToRepeat(definition) };
    const hooks = call.isTask ? { onResult: tasks.recordFrom(target.upstream, client) } : undefined;
    client.forward(new ForwardedRequest({ client, request: call, target, reply, hooks }));
  };

  const unknownTool = (client: Client, name: string): AppError => {
    const absence = status.whyAbsent(name);
    if (absence !== undefined) return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}. ${absence}`);
    const suggestions = nearestNames(name, catalogs.forProfile(client.profile).names('tools'));
    const hint = suggestions.length > 0 ? ` Did you mean ${suggestions.join(', ')}?` : '';
    return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}.${hint}`, { data: { suggestions } });
  };

  const waitForTool = createWaitForTool(servers, unknownTool);

  return (client, call, reply) => {
    const route = catalogs.forProfile(client.profile).find('tools', call.name);
    if (route !== undefined && !needsPinCheck(route.server)) return forward(client, route, call, reply);
    const { idText, name } = call;
    waitForTool(client, { idText, name, reply, forward: (found) => forward(client, found, call, reply) });
  };
}
