import { AppError } from '../../base/errors.ts';
import { requireStringParam } from '../../control/socket/needed-text.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import { toOutgoingMessage } from '../../wire/pass.ts';
import { readLogLevel, sendLogLevel } from '../bridge/logging.ts';
import { hasOtherSubscriber } from '../bridge/subscriptions.ts';
import type { Client } from '../client/client.ts';
import { recordClientInfo } from '../client/client-info.ts';
import { DeferredResponse } from '../client/pending-request.ts';
import { failureResponse } from './error-response.ts';
import { forwardRequest } from './forward-request.ts';
import type { Reply } from './forwarded-request.ts';
import type { ClientRequest, Routing } from './routing.ts';
import { forwardToolCall } from './single-routing.ts';

/**
 * How one client beside the usual ones speaks to one server, as if it were connected to nothing else: names and texts
 * pass as they are. What the server itself says is passed on by the routing of the whole gateway.
 */
export function createAttachedRouting(upstream: Upstream, { clients, whyWithheld }: AttachedRoutingOptions): Routing {
  const refuseWithheld = (client: Client, { name, idText, reply }: ToolRequest): boolean => {
    const why = whyWithheld(name);
    if (why === undefined) return false;
    const error = new AppError('DENIED', `${upstream.id}.${name} is ${why}`, { data: { server: upstream.id } });
    const context = { method: 'tools/call', toolName: name, serverName: upstream.id };
    reply(failureResponse(idText, error, context, client.errorStyle));
    return true;
  };
  /** Requests that change what the server does for all its clients together. */
  const sharedRequests: Readonly<Record<string, (client: Client, request: ClientRequest) => void>> = {
    initialize: (client, request) => void initializeAttached(client, upstream, request),
    'logging/setLevel'(client, { message, idText, reply }) {
      client.logLevel = readLogLevel(message);
      sendLogLevel(upstream, clients);
      reply(resultText(idText, {}));
    },
    'resources/subscribe'(client, request) {
      const uri = requireStringParam(request.message.params, 'uri');
      forwardRequest(client, upstream, request, {
        onResult: () => client.subscriptions.set(uri, { upstream, uri }),
      });
    },
    'resources/unsubscribe'(client, request) {
      const uri = requireStringParam(request.message.params, 'uri');
      client.subscriptions.delete(uri);
      // Another client still listens to it.
      if (hasOtherSubscriber(upstream, uri, clients, client)) return request.reply(resultText(request.idText, {}));
      forwardRequest(client, upstream, request);
    },
  };
  return {
    call(client, call, reply) {
      if (refuseWithheld(client, { name: call.name, idText: call.idText, reply })) return;
      client.forward(forwardToolCall(client, upstream, call, reply));
    },
    request(client, request) {
      const handler = Object.hasOwn(sharedRequests, request.method) ? sharedRequests[request.method] : undefined;
      if (handler !== undefined) return handler(client, request);
      const { params } = request.message;
      const name = request.method === 'tools/call' && isObject(params) ? String(params['name']) : undefined;
      if (name !== undefined && refuseWithheld(client, { ...request, name })) return;
      forwardRequest(client, upstream, request);
    },
    notification(_client, _message, frame) {
      const forwarded = toOutgoingMessage(frame);
      if (forwarded !== undefined) upstream.send(forwarded);
    },
    upstreamNotification() {},
    connected() {},
    stateChanged() {},
  };
}

export interface AttachedRoutingOptions {
  readonly clients: ReadonlySet<Client>;
  /** Why nobody may call this tool; undefined when everybody may. */
  readonly whyWithheld: (tool: string) => string | undefined;
}

interface ToolRequest {
  readonly name: string;
  readonly idText: string;
  readonly reply: Reply;
}

/** What it was told of, nobody else wants to hear of: the server need not tell it any more. */
export function releaseSubscriptions(client: Client, clients: ReadonlySet<Client>): void {
  for (const { upstream, uri } of client.subscriptions.values()) {
    if (hasOtherSubscriber(upstream, uri, clients, client)) continue;
    // One that it no longer has is its own affair.
    void upstream.request('resources/unsubscribe', { uri }).catch(() => undefined);
  }
}

/** In the server's own words, as soon as it is ready. */
async function initializeAttached(
  client: Client,
  upstream: Upstream,
  { message, idText, reply }: ClientRequest,
): Promise<void> {
  recordClientInfo(client, message.params, 'none');
  const context = { method: 'initialize', toolName: undefined, serverName: upstream.id };
  const deferred = new DeferredResponse({ client, idText, context, reply });
  const failure = upstream.state.kind === 'ready' ? undefined : await waitForReady(upstream);
  if (upstream.initializeResult !== undefined && failure === undefined)
    return deferred.answer(resultText(idText, new RawJson(upstream.initializeResult.json)));
  const reason = failure ?? new AppError('START_FAILED', `${upstream.id} did not say what it is.`);
  const data = { server: upstream.id, lastWords: upstream.stderrTail() };
  deferred.fail(new AppError(reason.code, reason.message, { data }));
}

/** A request of our own waits until the server is ready; what it is answered is of no interest. */
async function waitForReady(upstream: Upstream): Promise<AppError | undefined> {
  try {
    await upstream.request('ping', {});
    return undefined;
  } catch (error) {
    const refused = error as AppError;
    return upstream.state.kind === 'ready' && refused.code === 'REQUEST_FAILED' ? undefined : refused;
  }
}
