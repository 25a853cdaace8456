import { AppError } from '../../base/errors.ts';
import { readLogLevel } from '../../serve/log-levels.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { toOutgoingMessage } from '../../wire/json/splice.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { Exchange } from '../../wire/rpc/exchange.ts';
import { requireStringParam } from '../../wire/rpc/string-param.ts';
import { sendLogLevel } from '../bridge/logging.ts';
import { hasOtherSubscriber } from '../bridge/subscriptions.ts';
import type { Client } from '../client/client.ts';
import { recordClientInfo } from '../client/client-info.ts';
import { DeferredResponse } from './deferred-response.ts';
import { failureResponse } from './error-response.ts';
import { forwardRequest } from './forward-request.ts';
import { ForwardedRequest } from './forwarded-request.ts';
import type { ClientRequest, Routing } from './routing.ts';

/**
 * Routes the messages of an attached client to its server as if it were directly connected: names and text pass
 * unchanged. The routing of the whole gateway forwards messages from the server.
 */
export function createAttachedRouting(
  upstream: Upstream,
  { clients, whyNotCallable, isIdempotent }: AttachedRoutingOptions,
): Routing {
  const refuseNotCallable = (client: Client, { name, idText, exchange }: ToolRequest): boolean => {
    const why = whyNotCallable(name);
    if (why === undefined) return false;
    const error = new AppError('DENIED', `${upstream.id}.${name} is ${why}`, { data: { server: upstream.id } });
    const context = { method: 'tools/call', publicName: name, serverName: upstream.id };
    exchange.respond(failureResponse(idText, error, context, client.errorStyle));
    return true;
  };
  /** Requests that affect all clients of the server. */
  const sharedRequests: Readonly<Record<string, (client: Client, request: ClientRequest) => void>> = {
    initialize: (client, request) => void initializeAttached(client, upstream, request),
    'logging/setLevel'(client, { message, idText, exchange }) {
      client.setLogLevel(readLogLevel(message.params));
      sendLogLevel(upstream, clients);
      exchange.respond(resultText(idText, {}));
    },
    'resources/subscribe'(client, request) {
      const uri = requireStringParam(request.message, 'uri');
      forwardRequest(client, upstream, request, {
        onResult: () => client.setSubscription(uri, { upstream, uri }),
      });
    },
    'resources/unsubscribe'(client, request) {
      const uri = requireStringParam(request.message, 'uri');
      client.setSubscription(uri, undefined);
      // Another client is still subscribed.
      if (hasOtherSubscriber(upstream, uri, clients, client))
        return request.exchange.respond(resultText(request.idText, {}));
      forwardRequest(client, upstream, request);
    },
  };
  return {
    call(client, call, exchange) {
      if (refuseNotCallable(client, { name: call.name, idText: call.idText, exchange })) return;
      const target = { upstream, upstreamName: call.name, isIdempotent: isIdempotent(call.name) };
      client.forward(new ForwardedRequest({ client, request: call, target, exchange }));
    },
    request(client, request) {
      const handler = Object.hasOwn(sharedRequests, request.method) ? sharedRequests[request.method] : undefined;
      if (handler !== undefined) return handler(client, request);
      const { params } = request.message;
      const name = request.method === 'tools/call' && isObject(params) ? String(params['name']) : undefined;
      if (name !== undefined && refuseNotCallable(client, { ...request, name })) return;
      forwardRequest(client, upstream, request);
    },
    notification(_client, { method }, frame) {
      // A request method without an id is not a notification for servers. As one, a call would evade the tool filter.
      if (method === 'tools/call' || Object.hasOwn(sharedRequests, String(method))) return;
      const forwarded = toOutgoingMessage(frame);
      if (forwarded !== undefined) upstream.forwardNotification(forwarded);
    },
  };
}

export interface AttachedRoutingOptions {
  readonly clients: ReadonlySet<Client>;
  /** Returns why a tool must not be called, or undefined if it may be called. */
  readonly whyNotCallable: (tool: string) => string | undefined;
  /** Returns whether a tool may run twice. */
  readonly isIdempotent: (tool: string) => boolean;
}

interface ToolRequest {
  readonly name: string;
  readonly idText: string;
  readonly exchange: Exchange;
}

/** Responds with the server's own `initialize` result as soon as the server is ready. */
async function initializeAttached(
  client: Client,
  upstream: Upstream,
  { message, idText, exchange }: ClientRequest,
): Promise<void> {
  recordClientInfo(client, message.params, 'none');
  const context = { method: 'initialize', publicName: undefined, serverName: upstream.id };
  const deferred = new DeferredResponse({ client, idText, context, exchange });
  const failure = upstream.state.kind === 'ready' ? undefined : await waitForReady(upstream);
  if (upstream.initializeResult !== undefined && failure === undefined)
    return deferred.answer(resultText(idText, new RawJson(upstream.initializeResult.json)));
  const reason = failure ?? new AppError('START_FAILED', `${upstream.id} sent no initialize result.`);
  const { unsetVariable, variable } = reason.data ?? {};
  const data = { server: upstream.id, lastWords: upstream.stderrTail(), unsetVariable, variable };
  deferred.fail(new AppError(reason.code, reason.message, { data }));
}

/**
 * Waits until the server is ready by sending a request of our own, whose result is ignored. Resolves with the error if
 * the server does not become ready.
 */
async function waitForReady(upstream: Upstream): Promise<AppError | undefined> {
  try {
    await upstream.request('ping', {});
    return undefined;
  } catch (error) {
    const refused = error as AppError;
    return upstream.state.kind === 'ready' && refused.code === 'REQUEST_FAILED' ? undefined : refused;
  }
}
