import { AppError } from '../../base/errors.ts';
import { nearestNames } from '../../base/text/nearest-names.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject } from '../../wire/messages.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import type { AggregateCatalog } from '../catalog/aggregate-catalog.ts';
import type { Route } from '../catalog/merged-list.ts';
import type { Client } from '../client/client.ts';
import type { AggregateOptions } from './aggregate-routing.ts';
import { type RelayOptions, relayRequest } from './forward-request.ts';
import type { ClientRequest } from './routing.ts';
import { createTaskRoutes } from './task-routes.ts';
import { createUnlisted, isUncompared, type UnlistedCall } from './unknown-tool-call.ts';
import type { Lookup } from './wait-for-listing.ts';

type Handler = (client: Client, request: ClientRequest) => void;

export interface NamedRequests {
  /** A call whose name no server has listed: perhaps its server is still starting. Then it is passed on. */
  callUnknown(client: Client, call: UnlistedCall): void;
  /** A call that was not made in the usual way. */
  readonly callTool: Handler;
  readonly getPrompt: Handler;
  readonly complete: Handler;
  /** Whether it is known whose a prompt is. */
  readonly promptLookup: Lookup;
  /** Whether it is known whose the prompt or the resource of a completion is. */
  readonly referenceLookup: Lookup;
  /** A method that we do not know: whatever it names finds its server. */
  readonly unknown: Handler;
  /** Reads the answer to a call that asked for a task. */
  learnFrom(route: Route): (result: ResultFrame) => void;
  /** A server spoke of a task: whoever asks for it later is led there. */
  learnTask(upstream: Upstream, params: unknown): void;
}

/** Requests that find their server by the name of a tool, a prompt or a task. */
export function createNamedRequests({
  roster,
  catalogs,
  settling,
  mayOwn,
  whyAbsent,
}: AggregateOptions): NamedRequests {
  const tasks = createTaskRoutes();

  const relay = (client: Client, request: ClientRequest, route: Route, path: readonly string[]) => {
    const { member, key } = route;
    const options: RelayOptions = { edits: [{ path, text: JSON.stringify(key) }], toolName: nameIn(request) };
    relayRequest(
      client,
      member.upstream,
      request,
      isTask(request) ? { ...options, onResult: tasks.learnFrom(route.member.upstream) } : options,
    );
  };

  const catalogOf = ({ profile }: Client) => catalogs.of(profile);

  const unknownTool = (client: Client, name: string): AppError => {
    const absent = whyAbsent(name);
    if (absent !== undefined) return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}. ${absent}`);
    const near = nearestNames(name, catalogOf(client).names('tools'));
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
    return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}.${hint}`, { data: { suggestions: near } });
  };

  const callUnknown = createUnlisted({ roster, catalogs, settling, mayOwn, whyUnknown: unknownTool });

  return {
    callUnknown,
    learnFrom: ({ member }) => tasks.learnFrom(member.upstream),
    callTool(client, request) {
      const { idText, reply } = request;
      const name = neededName(request);
      const pass = (route: Route) => relay(client, request, route, ['params', 'name']);
      const route = catalogOf(client).find('tools', name);
      if (route === undefined || isUncompared(route.member)) callUnknown(client, { idText, name, reply, pass });
      else pass(route);
    },
    getPrompt(client, request) {
      const name = neededName(request);
      const route = catalogOf(client).find('prompts', name);
      if (route === undefined) throw new AppError('INVALID_PARAMS', `Unknown prompt: ${name}.`);
      relay(client, request, route, ['params', 'name']);
    },
    complete(client, request) {
      const { prompt, resource } = referredTo(catalogOf(client), request);
      if (prompt !== undefined) return relay(client, request, prompt, ['params', 'ref', 'name']);
      if (resource === undefined) throw new AppError('INVALID_PARAMS', 'params.ref names no known prompt or resource.');
      relay(client, request, resource, ['params', 'ref', 'uri']);
    },
    promptLookup: {
      kinds: ['prompts'],
      isKnown: (client, request) => catalogOf(client).find('prompts', nameIn(request) ?? '') !== undefined,
    },
    referenceLookup: {
      kinds: ['prompts', 'resources', 'resourceTemplates'],
      isKnown: (client, request) =>
        Object.values(referredTo(catalogOf(client), request)).some((route) => route !== undefined),
    },
    unknown(client, request) {
      const { params } = request.message;
      const { taskId, uri } = isObject(params) ? params : {};
      const task = tasks.find(taskId);
      if (task !== undefined) return relayRequest(client, task, request);
      const name = nameIn(request);
      const catalog = catalogOf(client);
      const found = name === undefined ? undefined : (catalog.find('tools', name) ?? catalog.find('prompts', name));
      if (found !== undefined) return relay(client, request, found, ['params', 'name']);
      const resource = typeof uri === 'string' ? catalog.find('resources', uri) : undefined;
      if (resource !== undefined) return relay(client, request, resource, ['params', 'uri']);
      throw new AppError('METHOD_NOT_FOUND', `Method not found: ${request.method}`);
    },
    learnTask: tasks.learn,
  };
}

/** What a completion is for. */
function referredTo(catalog: AggregateCatalog, { message: { params } }: ClientRequest) {
  const ref = isObject(params) && isObject(params['ref']) ? params['ref'] : {};
  const [name, uri] = [String(ref['name']), String(ref['uri'])];
  return {
    prompt: ref['type'] === 'ref/prompt' ? catalog.find('prompts', name) : undefined,
    resource: catalog.find('resourceTemplates', uri) ?? catalog.find('resources', uri),
  };
}

function neededName(request: ClientRequest): string {
  const name = nameIn(request);
  if (name === undefined) throw new AppError('INVALID_PARAMS', `${request.method} needs params.name.`);
  return name;
}

function nameIn({ message: { params } }: ClientRequest): string | undefined {
  const name = isObject(params) ? params['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function isTask({ message: { params } }: ClientRequest): boolean {
  return isObject(params) && params['task'] !== undefined;
}
