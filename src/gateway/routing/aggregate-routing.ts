import type { ProfileName } from '../../schema/profiles/profile.ts';
import { readLogLevel } from '../../serve/log-levels.ts';
import { toOutgoingMessage } from '../../wire/json/splice.ts';
import { resultText } from '../../wire/messages.ts';
import { sendLogLevel } from '../bridge/logging.ts';
import type { Client } from '../client/client.ts';
import { recordClientInfo } from '../client/client-info.ts';
import { offersSkills } from '../extensions/offered-capabilities.ts';
import { createSkillsList } from '../extensions/skills.ts';
import { aggregateInitializeResult } from '../gateway-info.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import type { GatewaySettings } from '../settings.ts';
import { createListRequests, type ListTimeouts } from './list-requests.ts';
import { createNamedRequests } from './named-requests.ts';
import { createResourceRequests } from './resource-requests.ts';
import type { ClientRequest, Routing, StatusTexts } from './routing.ts';
import { initializeForServer } from './server-initialize.ts';
import { createToolCallRouter } from './tool-calls.ts';
import { createWaitForListing } from './wait-for-listing.ts';

export interface AggregateRoutingOptions {
  readonly servers: GatewayServers;
  readonly clients: ReadonlySet<Client>;
  readonly settings: ListTimeouts & Pick<GatewaySettings, 'initTimeoutMs'>;
  /** The profile for all clients. Default: chosen for each client. */
  readonly profile: ProfileName | undefined;
  readonly status: StatusTexts;
  /** Masks secrets in text from servers. */
  readonly redact: (text: string) => string;
}

type Handler = (client: Client, request: ClientRequest) => void;

/** Routes requests of an aggregate gateway. Each request finds its server by a name or a URI. */
export function createAggregateRouting(options: AggregateRoutingOptions): Routing {
  const { servers, settings } = options;
  const { pool, readiness } = servers;
  const routeToolCall = createToolCallRouter(servers, options.status);
  const lists = createListRequests(servers, settings);
  const named = createNamedRequests(options, routeToolCall);
  const resources = createResourceRequests(options);
  const waitForListing = createWaitForListing(servers, settings.listTimeoutMs);

  const setLogLevel = (client: Client, { message, idText, exchange }: ClientRequest) => {
    client.setLogLevel(readLogLevel(message.params));
    for (const server of servers.viewOf(client).servers()) {
      for (const upstream of pool.findAll(server, client))
        if (upstream.state.kind === 'ready') sendLogLevel(upstream, pool.clientsOf(upstream));
    }
    exchange.respond(resultText(idText, {}));
  };

  const ofSkill: Handler = (client, request) => {
    const offersSuch = servers.viewOf(client).servers().some(offersSkills);
    (offersSuch ? waitForListing(resources.other, resources.lookup) : named.unknownMethod)(client, request);
  };
  /** A client that sees one server reaches all of its methods directly. */
  const unlessSingle =
    (handler: Handler): Handler =>
    (client, request) =>
      (servers.viewOf(client).server === undefined ? handler : named.unknownMethod)(client, request);

  const handlers: Readonly<Record<string, Handler>> = {
    initialize(client, request) {
      const { message, idText, exchange } = request;
      recordClientInfo(client, message.params, options.profile);
      // Called first, because the response includes cached instructions of the servers. The servers start afterward.
      const view = servers.viewOf(client);
      servers.start(message.params, view);
      pool.initialized(client);
      if (view.server !== undefined) {
        const [server] = view.servers();
        const timeoutMs = settings.initTimeoutMs;
        return initializeForServer(client, request, { server, readiness, timeoutMs, redact: options.redact });
      }
      const description = { instructions: servers.instructions(view), capabilities: servers.capabilities(view) };
      exchange.respond(resultText(idText, aggregateInitializeResult(message.params, description)));
    },
    ping: (_, { idText, exchange }) => exchange.respond(resultText(idText, {})),
    'tools/list': lists.handle('tools'),
    'prompts/list': lists.handle('prompts'),
    'resources/list': lists.handle('resources'),
    'resources/templates/list': lists.handle('resourceTemplates'),
    'resources/read': waitForListing(resources.read, resources.lookup),
    'resources/subscribe': waitForListing(resources.subscribe, resources.lookup),
    'resources/unsubscribe': resources.unsubscribe,
    'tools/call': named.callTool,
    'prompts/get': waitForListing(named.getPrompt, named.promptLookup),
    'completion/complete': waitForListing(named.complete, named.referenceLookup),
    'logging/setLevel': setLogLevel,
    'skills/list': unlessSingle(createSkillsList(servers, settings.listTimeoutMs)),
    'skills/get': unlessSingle(ofSkill),
    'resources/directory/read': unlessSingle(ofSkill),
  };

  return {
    call: routeToolCall,
    request(client, request) {
      const handler = Object.hasOwn(handlers, request.method) ? handlers[request.method] : undefined;
      (handler ?? named.unknownMethod)(client, request);
    },
    notification(client, { method }, frame) {
      // A request method without an id is not a notification for servers.
      if (Object.hasOwn(handlers, String(method))) return;
      const forwarded = toOutgoingMessage(frame);
      if (forwarded === undefined) return;
      for (const server of servers.viewOf(client).servers())
        for (const upstream of pool.findAll(server, client)) upstream.forwardNotification(forwarded);
    },
    cacheHints: lists.cacheHints,
  };
}
