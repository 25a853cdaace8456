import type { ProfileName } from '../../schema/profiles/profile.ts';
import { LIST_CHANGED_KINDS, type ListKind } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { toOutgoingMessage } from '../../wire/json/splice.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { CallFrame } from '../../wire/relay/read-call.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import { forwardLog, readLogLevel, sendLogLevel } from '../bridge/logging.ts';
import { forwardNotification } from '../bridge/notifications.ts';
import { forwardResourceUpdate, replaySubscriptions } from '../bridge/subscriptions.ts';
import type { Route } from '../catalog/merged-list.ts';
import type { ProfileCatalogs } from '../catalog/profile-catalogs.ts';
import type { Client } from '../client/client.ts';
import { recordClientInfo } from '../client/client-info.ts';
import { initializeResponse } from '../entry/gateway-info.ts';
import type { GatewaySettings } from '../entry/settings.ts';
import type { Readiness } from '../servers/readiness.ts';
import type { ServerRegistry } from '../servers/server-registry.ts';
import { ForwardedRequest, type Reply } from './forwarded-request.ts';
import { listTimeoutFor } from './list-timeout.ts';
import { createNamedRequests } from './named-requests.ts';
import { createResourceRequests } from './resource-requests.ts';
import type { ClientRequest, Routing } from './routing.ts';
import { needsPinCheck } from './unknown-tool-call.ts';
import { createWaitForListing } from './wait-for-listing.ts';

export interface AggregateRoutingOptions {
  readonly registry: ServerRegistry;
  readonly clients: ReadonlySet<Client>;
  readonly catalogs: ProfileCatalogs;
  readonly readiness: Readiness;
  readonly settings: Pick<GatewaySettings, 'listTimeoutMs' | 'isListTimeoutSet'>;
  /** The profile for all clients. Default: chosen for each client. */
  readonly profile: ProfileName | undefined;
  /** Called for each `initialize`. */
  readonly instructions: () => string;
  readonly onInitialize: (params: unknown) => void;
  readonly onStateChange: (upstream: Upstream) => void;
  /** Called when a client gets its tool list. */
  readonly onListAnswered: () => void;
  /** Returns whether, judging by the name alone, a server could own it. */
  readonly mayOwn: (serverId: string, name: string) => boolean;
  /** Returns why the server that owns the name is not in use, or undefined if there is no such server. */
  readonly whyAbsent: (toolName: string) => string | undefined;
  /** Returns the content of the status resource, as JSON. */
  readonly statusJson: () => string;
}

/** Routes requests of an aggregate gateway. Each request finds its server by a name or a URI. */
export function createAggregateRouting(options: AggregateRoutingOptions): Routing {
  const { registry, clients, catalogs, readiness, settings } = options;
  const named = createNamedRequests(options);
  const resources = createResourceRequests(options);
  const waitForListing = createWaitForListing(readiness, settings.listTimeoutMs);

  const handleList = (kind: ListKind, client: Client, request: ClientRequest) => {
    // A client that skips `initialize` still gets a list. Its capabilities are unknown.
    if (client.capabilities === undefined) options.onInitialize({});
    const cursor = isObject(request.message.params) ? request.message.params['cursor'] : undefined;
    const catalog = catalogs.forProfile(client.profile);
    const writePage = () => {
      if (kind === 'tools') options.onListAnswered();
      client.lists.recordRead(kind, catalog.version(kind));
      return resultText(request.idText, new RawJson(catalog.page(kind, cursor)));
    };
    // A cursor belongs to a list that was already sent, so there is nothing to wait for.
    if (cursor !== undefined || readiness.isKnown(kind)) return request.reply(writePage());
    readiness.replyWhenKnown(kind, listTimeoutFor(client, kind, settings), client, request, writePage);
  };

  const setLogLevel = (client: Client, { message, idText, reply }: ClientRequest) => {
    client.logLevel = readLogLevel(message);
    for (const { upstream } of registry.servers) if (upstream.state.kind === 'ready') sendLogLevel(upstream, clients);
    reply(resultText(idText, {}));
  };

  const handlers: Readonly<Record<string, (client: Client, request: ClientRequest) => void>> = {
    initialize(client, { message, idText, reply }) {
      recordClientInfo(client, message.params, options.profile);
      // Called first, because the response includes cached instructions of the servers. The servers start afterwards.
      options.onInitialize(message.params);
      reply(initializeResponse(idText, message.params, options.instructions()));
    },
    ping: (_, { idText, reply }) => reply(resultText(idText, {})),
    'tools/list': (client, request) => handleList('tools', client, request),
    'prompts/list': (client, request) => handleList('prompts', client, request),
    'resources/list': (client, request) => handleList('resources', client, request),
    'resources/templates/list': (client, request) => handleList('resourceTemplates', client, request),
    'resources/read': waitForListing(resources.read, resources.lookup),
    'resources/subscribe': waitForListing(resources.subscribe, resources.lookup),
    'resources/unsubscribe': resources.unsubscribe,
    'tools/call': named.callTool,
    'prompts/get': waitForListing(named.getPrompt, named.promptLookup),
    'completion/complete': waitForListing(named.complete, named.referenceLookup),
    'logging/setLevel': setLogLevel,
  };

  const forward = (client: Client, route: Route, call: CallFrame, reply: Reply) =>
    client.forward(forwardToolCall(client, route, call, reply, call.isTask ? named.recordTaskFrom(route) : undefined));

  return {
    call(client, call, reply) {
      const route = catalogs.forProfile(client.profile).find('tools', call.name);
      if (route !== undefined && !needsPinCheck(route.server)) return forward(client, route, call, reply);
      const { idText, name } = call;
      named.callUnknown(client, { idText, name, reply, forward: (found) => forward(client, found, call, reply) });
    },
    request(client, request) {
      const handler = Object.hasOwn(handlers, request.method) ? handlers[request.method] : undefined;
      (handler ?? named.unknownMethod)(client, request);
    },
    notification(_client, { method }, frame) {
      // A request method without an id is not a notification for servers.
      if (Object.hasOwn(handlers, String(method))) return;
      const forwarded = toOutgoingMessage(frame);
      if (forwarded !== undefined) for (const { upstream } of registry.servers) upstream.send(forwarded);
    },
    upstreamNotification(upstream, message, frame) {
      const kinds = LIST_CHANGED_KINDS.get(String(message.method));
      if (kinds !== undefined) {
        for (const kind of kinds) registry.find(upstream)?.catalog.changed(kind);
        return notifyAttached(upstream, frame, clients);
      }
      if (message.method === 'notifications/message') return forwardLog(upstream, message, frame, clients);
      if (message.method === 'notifications/resources/updated')
        return forwardResourceUpdate(upstream, message, frame, clients);
      named.recordTask(upstream, message.params);
      forwardNotification(upstream, message, frame, clients);
    },
    connected(upstream) {
      sendLogLevel(upstream, clients);
      replaySubscriptions(upstream, clients);
      registry.find(upstream)?.catalog.connected();
    },
    stateChanged(upstream) {
      options.onStateChange(upstream);
      readiness.check();
    },
  };
}

/** Forwards a notification unchanged to the clients that are attached to this server. */
function notifyAttached(upstream: Upstream, frame: Frame, clients: ReadonlySet<Client>): void {
  const forwarded = toOutgoingMessage(frame);
  if (forwarded === undefined) return;
  for (const client of clients)
    if (client.isAttached && client.receivesFrom(upstream)) client.serverRequests.notify(forwarded);
}

/** Returns the method of the notification that a list of this kind has changed. */
export function listChangedMethod(kind: ListKind): string {
  return `notifications/${kind === 'resourceTemplates' ? 'resources' : kind}/list_changed`;
}

/** Forwards a tool call on the fast path: only the id, the name and the progress token are replaced. */
function forwardToolCall(
  client: Client,
  { server, key, definition: { hints } }: Route,
  call: CallFrame,
  reply: Reply,
  onResult?: (result: ResultFrame) => void,
): ForwardedRequest {
  return new ForwardedRequest({
    client,
    upstream: server.upstream,
    idText: call.idText,
    method: 'tools/call',
    toolName: call.name,
    progressToken: call.progressToken,
    isRepeatable: hints.readOnly || hints.idempotent,
    bytes: call.bytes,
    write: (id) => call.write(id, key),
    reply,
    onResult,
  });
}
