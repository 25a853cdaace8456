import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { requireStringParam } from '../../wire/rpc/string-param.ts';
import type { AggregateCatalog } from '../catalog/aggregate-catalog.ts';
import type { Route } from '../catalog/public-list.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import { type ForwardingOptions, forwardRequest, toForwardable } from './forward-request.ts';
import { createOutsideView } from './outside-view.ts';
import type { ClientRequest } from './routing.ts';
import type { RouteToolCall } from './tool-calls.ts';
import type { Lookup } from './wait-for-listing.ts';

type Handler = (client: Client, request: ClientRequest) => void;

export interface NamedRequests {
  /** Handles a tool call that the fast path cannot read. */
  readonly callTool: Handler;
  readonly getPrompt: Handler;
  readonly complete: Handler;
  /** Looks up the server of a prompt. */
  readonly promptLookup: Lookup;
  /** Looks up the server of the prompt or resource of a completion. */
  readonly referenceLookup: Lookup;
  /** Forwards an unknown method to the only server, or to that of the task, tool, prompt or resource that it names. */
  readonly unknownMethod: Handler;
}

/** Handles requests that name a tool, a prompt or a task. */
export function createNamedRequests(servers: GatewayServers, routeToolCall: RouteToolCall): NamedRequests {
  const { pool, tasks } = servers;
  const outsideView = createOutsideView(servers);

  const forwardNamed = (client: Client, request: ClientRequest, route: Route, path: readonly string[]) => {
    const { server, key } = route;
    const upstream = pool.acquire(server, client);
    const options: ForwardingOptions = { edits: [{ path, text: JSON.stringify(key) }], publicName: nameOf(request) };
    forwardRequest(
      client,
      upstream,
      request,
      wantsTask(request) ? { ...options, onResult: tasks.recordFrom(upstream, client) } : options,
    );
  };

  const catalogOf = (client: Client) => servers.catalogOf(client);

  const outsideReference = (client: Client, request: ClientRequest) => {
    const { isPrompt, name, uri } = readReference(request);
    return isPrompt ? outsideView.prompt(client, name) : outsideView.resource(client, uri);
  };

  return {
    callTool(client, request) {
      const name = requireStringParam(request.message, 'name');
      const call = toForwardable(request, name, (key) => [{ path: ['params', 'name'], text: JSON.stringify(key) }]);
      routeToolCall(client, { ...call, name, isTask: wantsTask(request) }, request.exchange);
    },
    getPrompt(client, request) {
      const name = requireStringParam(request.message, 'name');
      const route = catalogOf(client).find('prompts', name);
      if (route === undefined)
        throw outsideView.prompt(client, name) ?? new AppError('INVALID_PARAMS', `Unknown prompt: ${name}.`);
      forwardNamed(client, request, route, ['params', 'name']);
    },
    complete(client, request) {
      const { prompt, resource } = resolveReference(catalogOf(client), request);
      if (prompt !== undefined) return forwardNamed(client, request, prompt, ['params', 'ref', 'name']);
      if (resource === undefined) throw outsideReference(client, request) ?? unknownReference();
      forwardNamed(client, request, resource, ['params', 'ref', 'uri']);
    },
    promptLookup: {
      kinds: ['prompts'],
      isKnown: (client, request) => catalogOf(client).find('prompts', nameOf(request) ?? '') !== undefined,
    },
    referenceLookup: {
      kinds: ['prompts', 'resources', 'resourceTemplates'],
      isKnown: (client, request) =>
        Object.values(resolveReference(catalogOf(client), request)).some((route) => route !== undefined),
    },
    unknownMethod(client, request) {
      const { params } = request.message;
      const view = servers.viewOf(client);
      const [only] = view.servers();
      if (view.server !== undefined && only !== undefined) return forwardRequest(client, only.upstream, request);
      const { taskId, uri } = isObject(params) ? params : {};
      const task = tasks.find(taskId, client);
      if (task !== undefined && client.receivesFrom(task)) return forwardRequest(client, task, request);
      const name = nameOf(request);
      const catalog = catalogOf(client);
      const found = name === undefined ? undefined : (catalog.find('tools', name) ?? catalog.find('prompts', name));
      if (found !== undefined) return forwardNamed(client, request, found, ['params', 'name']);
      const resource = typeof uri === 'string' ? catalog.find('resources', uri) : undefined;
      if (resource !== undefined) return forwardNamed(client, request, resource, ['params', 'uri']);
      throw new AppError('METHOD_NOT_FOUND', `Method not found: ${request.method}`);
    },
  };
}

/** Returns the prompt or resource that a completion refers to. */
function resolveReference(catalog: AggregateCatalog, request: ClientRequest) {
  const { isPrompt, name, uri } = readReference(request);
  return {
    prompt: isPrompt ? catalog.find('prompts', name) : undefined,
    resource: catalog.find('resourceTemplates', uri) ?? catalog.find('resources', uri),
  };
}

function readReference({ message: { params } }: ClientRequest) {
  const ref = isObject(params) && isObject(params['ref']) ? params['ref'] : {};
  return { isPrompt: ref['type'] === 'ref/prompt', name: String(ref['name']), uri: String(ref['uri']) };
}

function unknownReference(): AppError {
  return new AppError('INVALID_PARAMS', 'params.ref does not name a known prompt or resource.');
}

function nameOf({ message: { params } }: ClientRequest): string | undefined {
  const name = isObject(params) ? params['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function wantsTask({ message: { params } }: ClientRequest): boolean {
  return isObject(params) && params['task'] !== undefined;
}
