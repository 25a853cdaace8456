import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { requireStringParam } from '../../wire/rpc/string-param.ts';
import type { AggregateCatalog } from '../catalog/aggregate-catalog.ts';
import type { Route } from '../catalog/public-list.ts';
import type { Client } from '../client/client.ts';
import { resultHooks } from '../extensions/result-hooks.ts';
import type { AggregateRoutingOptions } from './aggregate-routing.ts';
import { forwardRequest, threadSource, toForwardable } from './forward-request.ts';
import { createOutsideView } from './outside-view.ts';
import type { ClientRequest } from './routing.ts';
import type { RouteToolCall } from './tool-calls.ts';
import { createUnknownRequests } from './unknown-requests.ts';
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
  /** Handles every other method. */
  readonly unknownMethod: Handler;
}

/** Handles requests that name a tool or a prompt. */
export function createNamedRequests(
  { servers, clients }: Pick<AggregateRoutingOptions, 'servers' | 'clients'>,
  routeToolCall: RouteToolCall,
): NamedRequests {
  const outsideView = createOutsideView(servers);

  const forwardNamed = (client: Client, request: ClientRequest, route: Route, path: readonly string[]) => {
    const upstream = servers.pool.acquire(route.server, client, threadSource(request));
    forwardRequest(client, upstream, request, {
      edits: [{ path, text: JSON.stringify(route.key) }],
      publicName: nameOf(request),
      ...resultHooks(servers, { client, upstream, mayStartTask: wantsTask(request) }),
    });
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
    unknownMethod: createUnknownRequests({
      servers,
      clients,
      forwardNamed(client, request, name) {
        const catalog = catalogOf(client);
        const found = catalog.find('tools', name) ?? catalog.find('prompts', name);
        if (found !== undefined) forwardNamed(client, request, found, ['params', 'name']);
        return found !== undefined;
      },
      forwardListed(client, request, uri) {
        const found = catalogOf(client).find('resources', uri);
        if (found !== undefined) forwardNamed(client, request, found, ['params', 'uri']);
        return found !== undefined;
      },
    }),
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
