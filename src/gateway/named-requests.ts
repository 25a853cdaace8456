import { AppError } from '../base/errors.ts';
import type { Upstream } from '../upstream/upstream.ts';
import { isObject } from '../wire/messages.ts';
import type { CallFrame } from '../wire/read-call.ts';
import type { ResultFrame } from '../wire/read-result.ts';
import { type AggregateOptions, forwardCall } from './aggregate.ts';
import type { AggregateCatalog, Member, Route } from './catalog.ts';
import type { Client } from './client.ts';
import { answerForFailure } from './errors.ts';
import type { Reply } from './forward.ts';
import type { Lookup } from './patience.ts';
import { type RelayOptions, relayRequest } from './relay-request.ts';
import type { ClientRequest } from './routing.ts';
import { nearestNames } from './suggest.ts';
import { createTaskRoutes } from './task-routes.ts';
import { Deferred } from './under-way.ts';

type Handler = (client: Client, request: ClientRequest) => void;

export interface NamedRequests {
  /** A call whose name no server has listed: perhaps its server is still starting. */
  callUnknown(client: Client, call: CallFrame, reply: Reply): void;
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
export function createNamedRequests({ members, catalog, settling, whyAbsent }: AggregateOptions): NamedRequests {
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

  /** The server that the name begins with, when it has not listed its tools yet. */
  const starting = (name: string): Member | undefined =>
    members.find(({ upstream, catalog: own }) => name.startsWith(`${upstream.id}__`) && !own.isListed('tools'));

  const callUnknown = (client: Client, call: CallFrame, reply: Reply) => {
    const member = starting(call.name);
    const context = { method: 'tools/call', toolName: call.name, serverName: member?.upstream.id };
    const refuse = () => answerForFailure(call.idText, unknownTool(call.name), context, client.errorStyle);
    if (member === undefined) return reply(refuse());
    const deferred = new Deferred({ client, idText: call.idText, context, reply });
    member.upstream.wake();
    settling.whenListed(member, 'tools', member.upstream.requestTimeoutMs, () => {
      if (!deferred.handOver()) return;
      const route = catalog.find('tools', call.name);
      const { state } = member.upstream;
      if (route !== undefined) {
        return client.begin(
          forwardCall(client, route, call, reply, call.isTask ? tasks.learnFrom(route.member.upstream) : undefined),
        );
      }
      if (state.kind !== 'error') return reply(refuse());
      reply(answerForFailure(call.idText, state.error, context, client.errorStyle));
    });
  };

  const unknownTool = (name: string): AppError => {
    const absent = whyAbsent(name);
    if (absent !== undefined) return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}. ${absent}`);
    const near = nearestNames(name, catalog.names('tools'));
    const hint = near.length > 0 ? ` Did you mean ${near.join(', ')}?` : '';
    return new AppError('TOOL_NOT_FOUND', `Unknown tool: ${name}.${hint}`, { data: { suggestions: near } });
  };

  const byName = (kind: 'tools' | 'prompts', request: ClientRequest): Route => {
    const name = nameIn(request);
    const route = name === undefined ? undefined : catalog.find(kind, name);
    if (route !== undefined) return route;
    if (name === undefined) throw new AppError('INVALID_PARAMS', `${request.method} needs params.name.`);
    if (kind === 'tools') throw unknownTool(name);
    throw new AppError('INVALID_PARAMS', `Unknown prompt: ${name}.`);
  };

  return {
    callUnknown,
    learnFrom: ({ member }) => tasks.learnFrom(member.upstream),
    callTool: (client, request) => relay(client, request, byName('tools', request), ['params', 'name']),
    getPrompt: (client, request) => relay(client, request, byName('prompts', request), ['params', 'name']),
    complete(client, request) {
      const { prompt, resource } = referredTo(catalog, request);
      if (prompt !== undefined) return relay(client, request, prompt, ['params', 'ref', 'name']);
      if (resource === undefined) throw new AppError('INVALID_PARAMS', 'params.ref names no known prompt or resource.');
      relay(client, request, resource, ['params', 'ref', 'uri']);
    },
    promptLookup: {
      kinds: ['prompts'],
      isKnown: (request) => catalog.find('prompts', nameIn(request) ?? '') !== undefined,
    },
    referenceLookup: {
      kinds: ['prompts', 'resources', 'resourceTemplates'],
      isKnown: (request) => Object.values(referredTo(catalog, request)).some((route) => route !== undefined),
    },
    unknown(client, request) {
      const { params } = request.message;
      const { taskId, uri } = isObject(params) ? params : {};
      const task = tasks.find(taskId);
      if (task !== undefined) return relayRequest(client, task, request);
      const name = nameIn(request);
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

function nameIn({ message: { params } }: ClientRequest): string | undefined {
  const name = isObject(params) ? params['name'] : undefined;
  return typeof name === 'string' ? name : undefined;
}

function isTask({ message: { params } }: ClientRequest): boolean {
  return isObject(params) && params['task'] !== undefined;
}
