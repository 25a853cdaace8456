import { AppError } from '../../base/errors.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject, resultText } from '../../wire/messages.ts';
import { requireStringParam } from '../../wire/rpc/string-param.ts';
import { hasOtherSubscriber } from '../bridge/subscriptions.ts';
import type { Client } from '../client/client.ts';
import { type Candidate, findServerResource, isServerResource } from '../extensions/server-resources.ts';
import { uriRewrite } from '../extensions/uri-rewrite.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import { STATUS_URI } from '../status/status-resource.ts';
import type { AggregateRoutingOptions } from './aggregate-routing.ts';
import { forwardRequest, threadSource } from './forward-request.ts';
import { createOutsideView } from './outside-view.ts';
import type { ClientRequest } from './routing.ts';
import type { Lookup } from './wait-for-listing.ts';

type Handler = (client: Client, request: ClientRequest) => void;

export interface ResourceRequests {
  readonly read: Handler;
  readonly subscribe: Handler;
  readonly unsubscribe: Handler;
  /** Handles any other request that names a URI and expects a result about it, such as `skills/get`. */
  readonly other: Handler;
  /** Looks up the server of a URI. */
  readonly lookup: Lookup;
}

/**
 * Handles requests that name a URI. The server is the one that lists the URI, or whose id the URI of an app or skill
 * carries, then those with a matching template, then every server with resources in turn.
 */
export function createResourceRequests(options: AggregateRoutingOptions): ResourceRequests {
  const { clients, status, servers } = options;
  const { pool } = servers;
  const outsideView = createOutsideView(servers);

  const candidates = (client: Client, uri: string): readonly Candidate[] => {
    const catalog = servers.catalogOf(client);
    const listed = catalog.find('resources', uri);
    if (listed !== undefined) return [{ server: listed.server, uri: listed.key }];
    const view = servers.viewOf(client);
    const ofServer = findServerResource(view, catalog, uri);
    if (ofServer.length > 0) return ofServer;
    const matching = catalog.findByTemplate(uri);
    if (matching.length > 0) return matching.map((server) => ({ server, uri }));
    const outside = outsideView.resource(client, uri);
    if (outside !== undefined) throw outside;
    // A URI of an app or skill belongs to one server. Another one may use it for something else.
    if (isServerResource(view, uri)) return [];
    return view
      .servers()
      .filter(offersResources)
      .map((server) => ({ server, uri }));
  };

  /** Sends the request to one candidate after the other until one responds with anything but a `NOT_FOUND` code. */
  const tryInOrder = (
    client: Client,
    request: ClientRequest,
    [first, ...rest]: readonly Candidate[],
    onAccepted?: (taken: { readonly upstream: Upstream; readonly uri: string }) => void,
  ) => {
    const uri = requireStringParam(request.message, 'uri');
    if (first === undefined) throw notFound(uri);
    const upstream = pool.acquire(first.server, client, threadSource(request));
    forwardRequest(client, upstream, request, {
      uri,
      edits: [{ path: ['params', 'uri'], text: JSON.stringify(first.uri) }],
      ...uriRewrite(servers.viewOf(client), upstream.id),
      onResult: () => onAccepted?.({ upstream, uri: first.uri }),
      onError(code) {
        if (!NOT_FOUND.has(code) || rest.length === 0) return false;
        tryInOrder(client, request, rest, onAccepted);
        return true;
      },
    });
  };

  return {
    lookup: {
      kinds: ['resources', 'resourceTemplates'],
      isKnown(client, request) {
        const catalog = servers.catalogOf(client);
        const uri = requireStringParam(request.message, 'uri');
        if (uri === STATUS_URI || catalog.find('resources', uri) !== undefined) return true;
        if (findServerResource(servers.viewOf(client), catalog, uri).length > 0) return true;
        return catalog.findByTemplate(uri).length > 0;
      },
    },
    other: (client, request) =>
      tryInOrder(client, request, candidates(client, requireStringParam(request.message, 'uri'))),
    read(client, request) {
      const uri = requireStringParam(request.message, 'uri');
      if (uri !== STATUS_URI || servers.viewOf(client).server !== undefined)
        return tryInOrder(client, request, candidates(client, uri));
      const contents = [{ uri, mimeType: 'application/json', text: status.json(client) }];
      request.exchange.respond(resultText(request.idText, { contents }));
    },
    subscribe(client, request) {
      const uri = requireStringParam(request.message, 'uri');
      tryInOrder(client, request, candidates(client, uri), (taken) => client.setSubscription(uri, taken));
    },
    unsubscribe(client, request) {
      const uri = requireStringParam(request.message, 'uri');
      const subscribed = client.subscriptions.get(uri);
      client.setSubscription(uri, undefined);
      if (subscribed === undefined) return tryInOrder(client, request, candidates(client, uri));
      const { upstream, uri: upstreamUri } = subscribed;
      // Another client is still subscribed to it on this server.
      if (hasOtherSubscriber(upstream, upstreamUri, clients, client))
        return request.exchange.respond(resultText(request.idText, {}));
      forwardRequest(client, upstream, request, {
        edits: [{ path: ['params', 'uri'], text: JSON.stringify(upstreamUri) }],
      });
    },
  };
}

/** The error codes that servers use for an unknown URI. */
const NOT_FOUND = new Set([-32002, -32602, -32601, -32603]);

function offersResources({ upstream }: GatewayServer): boolean {
  return upstream.state.kind === 'ready' && isObject(upstream.initializeResult?.capabilities['resources']);
}

function notFound(uri: string): AppError {
  return new AppError('RESOURCE_NOT_FOUND', `Resource not found: ${uri}`, { data: { uri } });
}
