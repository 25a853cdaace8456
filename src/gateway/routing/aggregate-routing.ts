import type { ProfileName } from '../../schema/profiles/profile.ts';
import { LIST_CHANGES, type ListKind } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Frame } from '../../wire/frame.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import { passFrame } from '../../wire/pass.ts';
import type { CallFrame } from '../../wire/relay/read-call.ts';
import type { ResultFrame } from '../../wire/relay/read-result.ts';
import { passLog, readLevel, tellLevel } from '../bridge/logging.ts';
import { passNotification } from '../bridge/notifications.ts';
import { passUpdate, replaySubscriptions } from '../bridge/subscriptions.ts';
import type { Route } from '../catalog/merged-list.ts';
import type { Catalogs } from '../catalog/profile-catalogs.ts';
import type { Client } from '../client/client.ts';
import { meetClient } from '../client/client-info.ts';
import { greeting } from '../entry/gateway-info.ts';
import type { GatewaySettings } from '../entry/settings.ts';
import type { Settling } from '../servers/readiness.ts';
import type { Roster } from '../servers/server-registry.ts';
import { Forward, type Reply } from './forwarded-request.ts';
import { listPatience } from './list-timeout.ts';
import { createNamedRequests } from './named-requests.ts';
import { createResourceRequests } from './resource-requests.ts';
import type { ClientRequest, Routing } from './routing.ts';
import { isUncompared } from './unknown-tool-call.ts';
import { createPatience } from './wait-for-listing.ts';

export interface AggregateOptions {
  readonly roster: Roster;
  readonly clients: ReadonlySet<Client>;
  readonly catalogs: Catalogs;
  readonly settling: Settling;
  readonly settings: Pick<GatewaySettings, 'listTimeoutMs' | 'isListTimeoutSet'>;
  /** For every client the same; undefined: each as it needs. */
  readonly profile: ProfileName | undefined;
  /** Asked at each `initialize`. */
  readonly instructions: () => string;
  readonly onHello: (params: unknown) => void;
  readonly onStateChange: (upstream: Upstream) => void;
  /** A client has its list of tools. */
  readonly onListAnswered: () => void;
  /** Whether a server could have something of this name, as far as the name tells. */
  readonly mayOwn: (serverId: string, name: string) => boolean;
  /** Whether the name belongs to a server that is configured and not used, and why it is not. */
  readonly whyAbsent: (toolName: string) => string | undefined;
  /** The text of our own resource, as JSON. */
  readonly status: () => string;
}

/** Many servers behind one face: each request finds its one server by a name or a URI. */
export function createAggregateRouting(options: AggregateOptions): Routing {
  const { roster, clients, catalogs, settling, settings } = options;
  const named = createNamedRequests(options);
  const resources = createResourceRequests(options);
  const patient = createPatience(settling, settings.listTimeoutMs);

  const list = (kind: ListKind, client: Client, request: ClientRequest) => {
    // It never said hello, and wants an answer all the same: then nothing is known of what it can do.
    if (client.capabilities === undefined) options.onHello({});
    const cursor = isObject(request.message.params) ? request.message.params['cursor'] : undefined;
    const catalog = catalogs.of(client.profile);
    const answer = () => {
      if (kind === 'tools') options.onListAnswered();
      client.lists.read(kind, catalog.version(kind));
      return resultText(request.idText, new RawJson(catalog.page(kind, cursor)));
    };
    // A cursor belongs to a list that was given already: nothing is waited for.
    if (cursor !== undefined || settling.isKnown(kind)) return request.reply(answer());
    settling.waitFor(kind, listPatience(client, kind, settings), client, request, answer);
  };

  const setLevel = (client: Client, { message, idText, reply }: ClientRequest) => {
    client.logLevel = readLevel(message);
    for (const { upstream } of roster.members) if (upstream.state.kind === 'ready') tellLevel(upstream, clients);
    reply(resultText(idText, {}));
  };

  const handlers: Readonly<Record<string, (client: Client, request: ClientRequest) => void>> = {
    initialize(client, { message, idText, reply }) {
      meetClient(client, message.params, options.profile);
      // First of all, because what is remembered of the servers is part of the answer. They are started after it.
      options.onHello(message.params);
      reply(greeting(idText, message.params, options.instructions()));
    },
    ping: (_, { idText, reply }) => reply(resultText(idText, {})),
    'tools/list': (client, request) => list('tools', client, request),
    'prompts/list': (client, request) => list('prompts', client, request),
    'resources/list': (client, request) => list('resources', client, request),
    'resources/templates/list': (client, request) => list('resourceTemplates', client, request),
    'resources/read': patient(resources.read, resources.lookup),
    'resources/subscribe': patient(resources.subscribe, resources.lookup),
    'resources/unsubscribe': resources.unsubscribe,
    'tools/call': named.callTool,
    'prompts/get': patient(named.getPrompt, named.promptLookup),
    'completion/complete': patient(named.complete, named.referenceLookup),
    'logging/setLevel': setLevel,
  };

  const pass = (client: Client, route: Route, call: CallFrame, reply: Reply) =>
    client.begin(forwardCall(client, route, call, reply, call.isTask ? named.learnFrom(route) : undefined));

  return {
    call(client, call, reply) {
      const route = catalogs.of(client.profile).find('tools', call.name);
      if (route !== undefined && !isUncompared(route.member)) return pass(client, route, call, reply);
      const { idText, name } = call;
      named.callUnknown(client, { idText, name, reply, pass: (found) => pass(client, found, call, reply) });
    },
    request(client, request) {
      const handler = Object.hasOwn(handlers, request.method) ? handlers[request.method] : undefined;
      (handler ?? named.unknown)(client, request);
    },
    notification(_client, { method }, frame) {
      // A request without an id is no news for anybody.
      if (Object.hasOwn(handlers, String(method))) return;
      const passed = passFrame(frame);
      if (passed !== undefined) for (const { upstream } of roster.members) upstream.send(passed);
    },
    upstreamNotification(upstream, message, frame) {
      const kinds = LIST_CHANGES.get(String(message.method));
      if (kinds !== undefined) {
        for (const kind of kinds) roster.find(upstream)?.catalog.changed(kind);
        return tellAttached(upstream, frame, clients);
      }
      if (message.method === 'notifications/message') return passLog(upstream, message, frame, clients);
      if (message.method === 'notifications/resources/updated') return passUpdate(upstream, message, frame, clients);
      named.learnTask(upstream, message.params);
      passNotification(upstream, message, frame, clients);
    },
    connected(upstream) {
      tellLevel(upstream, clients);
      replaySubscriptions(upstream, clients);
      roster.find(upstream)?.catalog.connected();
    },
    stateChanged(upstream) {
      options.onStateChange(upstream);
      settling.look();
    },
  };
}

/** Those who came for this server alone are told what it says, in its own words. */
function tellAttached(upstream: Upstream, frame: Frame, clients: ReadonlySet<Client>): void {
  const passed = passFrame(frame);
  if (passed === undefined) return;
  for (const client of clients) if (client.isAttached && client.hears(upstream)) client.questions.tell(passed);
}

/** What a client is told when a list of this kind has changed. */
export function listChangeOf(kind: ListKind): string {
  return `notifications/${kind === 'resourceTemplates' ? 'resources' : kind}/list_changed`;
}

/** The call of a tool, on its short way: only its id, its name and its progress token are replaced. */
function forwardCall(
  client: Client,
  { member, key, definition: { hints } }: Route,
  call: CallFrame,
  reply: Reply,
  onResult?: (result: ResultFrame) => void,
): Forward {
  return new Forward({
    client,
    upstream: member.upstream,
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
