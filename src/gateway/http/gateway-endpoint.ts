import type { Definition } from '../../schema/definitions/definition.ts';
import { type ParamHeader, readParamHeaders } from '../../schema/param-headers.ts';
import { isAnybody } from '../../serve/access/no-auth.ts';
import type { HttpClient, HttpConnection, HttpEndpoint, HttpOutput } from '../../serve/fronts/http/endpoint.ts';
import type { Principal } from '../../serve/fronts/http/principal.ts';
import type { OutgoingMessage } from '../../wire/json/splice.ts';
import { isObject } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { createHeldRequests, type HeldRequests } from '../modern/held-requests.ts';
import { ModernClient } from '../modern/modern-client.ts';
import type { ModernExchange } from '../modern/modern-exchange.ts';
import type { AggregateGateway } from '../open/open-aggregate.ts';
import type { Trace } from '../trace/trace.ts';
import { restoreSession } from './restore-session.ts';
import { traceConnection } from './trace-connection.ts';

export interface GatewayEndpointOptions {
  readonly gateway: Pick<AggregateGateway, 'disconnect' | 'sessionRestored'>;
  /** Adds a client of this endpoint to the gateway. */
  readonly connect: (send: (message: OutgoingMessage) => void, principal: Principal) => Client;
  /** Returns the definition of a tool that the client sees under this name. */
  readonly findTool: (client: Client, name: string) => Definition | undefined;
  readonly trace?: Trace | undefined;
}

/** Lets any number of HTTP clients of both eras use the gateway. */
export function createGatewayEndpoint(options: GatewayEndpointOptions): HttpEndpoint {
  const shared = { held: createHeldRequests<ModernExchange>(), declaredHeaders: createDeclaredHeaders() };
  return {
    connect(client, output) {
      const open = (traced: HttpOutput) =>
        client.era === 'legacy' ? connectLegacy(client, traced, options) : connectModern(client, shared, options);
      return options.trace === undefined ? open(output) : traceConnection(options.trace, output, open);
    },
  };
}

function connectLegacy(
  { principal, restored, saveSettings }: HttpClient,
  output: HttpOutput,
  { gateway, connect }: GatewayEndpointOptions,
): HttpConnection {
  const client = connect((message) => output.send(message), principal);
  client.owner = ownerOf(principal);
  if (restored !== undefined) {
    restoreSession(client, restored);
    gateway.sessionRestored(client);
  }
  client.onSettings = () => {
    saveSettings({ logLevel: client.logLevel, subscriptions: [...client.subscriptions.keys()] });
  };
  return {
    receive: (frame, exchange) => client.receive(frame, exchange),
    // The client may resume the stream.
    abandon() {},
    get isBusy() {
      return client.isBusy;
    },
    close: (reason) => gateway.disconnect(client, reason),
  };
}

interface SharedByModernClients {
  /** Only the token, because a client may describe itself differently when it returns with its answers. */
  readonly held: HeldRequests<ModernExchange>;
  readonly declaredHeaders: ReturnType<typeof createDeclaredHeaders>;
}

function connectModern(
  { principal }: HttpClient,
  { held, declaredHeaders }: SharedByModernClients,
  { gateway, connect, findTool }: GatewayEndpointOptions,
): HttpConnection {
  const client = connect((message) => modern.deliver(message), principal);
  client.owner = ownerOf(principal);
  const modern = new ModernClient({
    client,
    owner: principal.tokenId,
    held,
    isShared: true,
    isPrivate: !isAnybody(principal),
  });
  return {
    receive: (frame, exchange, parts) => modern.receive(frame, exchange, parts),
    abandon: (exchange) => modern.abandon(exchange),
    get isBusy() {
      return modern.isBusy;
    },
    close: (reason) => gateway.disconnect(client, reason),
    paramHeaders(name) {
      const tool = findTool(client, name);
      return tool && declaredHeaders(tool);
    },
  };
}

function ownerOf({ tokenId }: Principal): string {
  return `token ${tokenId}`;
}

/** Caches the headers that a tool declares, because every call needs them. A definition object never changes. */
function createDeclaredHeaders(): (tool: Definition) => readonly ParamHeader[] | undefined {
  const known = new WeakMap<Definition, { readonly headers: readonly ParamHeader[] | undefined }>();
  return (tool) => {
    const declared = known.get(tool) ?? { headers: readDeclaredHeaders(tool) };
    known.set(tool, declared);
    return declared.headers;
  };
}

/** Returns undefined if the tool declares none, as most do. */
function readDeclaredHeaders({ json }: Definition): readonly ParamHeader[] | undefined {
  if (!json.includes('x-mcp-header')) return undefined;
  const tool: unknown = JSON.parse(json);
  const headers = readParamHeaders(isObject(tool) ? tool['inputSchema'] : undefined);
  // Clients ignore a tool with an invalid declaration, so it requires no headers.
  return typeof headers === 'string' || headers.length === 0 ? undefined : headers;
}
