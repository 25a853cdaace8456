import { toJsonRpcError } from '../../base/error-translation.ts';
import { AppError } from '../../base/errors.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { PROFILES } from '../../schema/profiles/registry.ts';
import { LIST_CHANGED_KINDS } from '../../upstream/catalog/listing.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import { frameBytes } from '../../wire/frame.ts';
import { rawMember } from '../../wire/json/scan.ts';
import { type OutgoingMessage, toOutgoingMessage } from '../../wire/json/splice.ts';
import { errorText, isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { Audience } from '../bridge/attribution.ts';
import { sendLogLevel } from '../bridge/logging.ts';
import { forwardNotification } from '../bridge/notifications.ts';
import { forwardResourceUpdate, hasOtherSubscriber, replaySubscriptions } from '../bridge/subscriptions.ts';
import type { UpstreamEvents } from '../bridge/upstream-listener.ts';
import type { Client } from '../client/client.ts';
import { recordClientInfo } from '../client/client-info.ts';
import { minimalInitializeResult } from '../gateway-info.ts';
import { DeferredResponse } from './deferred-response.ts';
import { forwardRequest } from './forward-request.ts';
import { ForwardedRequest, type ResponseHooks } from './forwarded-request.ts';
import { createRepeatableTools } from './repeatable-tools.ts';
import { rewriteTools } from './rewrite-tools.ts';
import type { ClientRequest, Routing } from './routing.ts';

export interface SingleRoutingOptions {
  readonly upstream: Upstream;
  readonly audience: Audience;
  readonly initTimeoutMs: number;
  /** The profile for all clients. Default: chosen for each client. */
  readonly profile: ProfileName | undefined;
  /** Called with the unmodified params of `initialize`. */
  readonly onInitialize: (params: RawJson) => void;
}

export interface SingleRouting {
  readonly routing: Routing;
  /** Handles what the server reports. */
  readonly events: UpstreamEvents;
}

const MAX_PENDING_NOTIFICATIONS = 256;

/**
 * Routes all messages to one server. Names and text pass unchanged in both directions; schemas change only as the
 * client's profile requires.
 */
export function createSingleRouting({
  upstream,
  audience,
  initTimeoutMs,
  profile,
  onInitialize,
}: SingleRoutingOptions): SingleRouting {
  const { all: clients } = audience;
  /** Client notifications that wait until the server is ready. */
  const pendingNotifications: OutgoingMessage[] = [];
  let readyChecks: (() => void)[] = [];
  const repeatableTools = createRepeatableTools();

  const initialize = (client: Client, request: ClientRequest) => {
    const { message, idText, exchange } = request;
    recordClientInfo(client, message.params, profile);
    onInitialize(new RawJson(rawMember(frameBytes(request.frame), 'params') ?? '{}'));
    const context = { method: 'initialize', publicName: undefined, serverName: upstream.id };
    const deferred = new DeferredResponse({ client, idText, context, exchange });
    const answer = (text: string) => {
      clearTimeout(timer);
      deferred.answer(text);
    };
    const timer = setTimeout(() => {
      if (!deferred.isDone) client.awaitsLists = true;
      answer(resultText(idText, minimalInitializeResult(message.params)));
    }, initTimeoutMs);
    const check = () => {
      const { state, initializeResult } = upstream;
      if (state.kind === 'ready' && initializeResult !== undefined)
        return answer(resultText(idText, new RawJson(initializeResult.json)));
      // The restart failed as well, so the client does not wait any longer.
      if (state.kind === 'error' && (state.error.code === 'SPAWN_FAILED' || upstream.restarts > 0)) {
        clearTimeout(timer);
        return deferred.fail(state.error);
      }
      if (deferred.isDone) return;
      readyChecks.push(check);
    };
    check();
  };

  /** Returns whether the client unsubscribes from a resource that another client is subscribed to. */
  const isStillSubscribed = (client: Client, { method, message: { params } }: ClientRequest): boolean => {
    const uri = isObject(params) ? params['uri'] : undefined;
    if (method !== 'resources/unsubscribe' || typeof uri !== 'string') return false;
    if (!hasOtherSubscriber(upstream, uri, clients, client)) return false;
    client.setSubscription(uri, undefined);
    return true;
  };

  const routing: Routing = {
    call(client, call, exchange) {
      if (client.capabilities === undefined)
        return exchange.respond(errorText(call.idText, toJsonRpcError(notInitialized('tools/call'))));
      const target = { upstream, upstreamName: call.name, isIdempotent: repeatableTools.has(call.name) };
      client.forward(new ForwardedRequest({ client, request: call, target, exchange }));
    },
    request(client, request) {
      if (request.method === 'initialize') return initialize(client, request);
      if (request.method === 'ping' && upstream.state.kind !== 'ready')
        return request.exchange.respond(resultText(request.idText, {}));
      if (client.capabilities === undefined) throw notInitialized(request.method);
      if (isStillSubscribed(client, request)) return request.exchange.respond(resultText(request.idText, {}));
      forwardRequest(client, upstream, request, {
        onResult({ frame }) {
          recordForRestart(client, upstream, request);
          if (request.method === 'tools/list') repeatableTools.listed(frame);
        },
        ...(request.method === 'tools/list' ? toolsRewriteFor(client) : {}),
      });
    },
    notification(_client, _message, frame) {
      const forwarded = toOutgoingMessage(frame);
      if (forwarded === undefined) return;
      if (upstream.state.kind === 'ready') upstream.forwardNotification(forwarded);
      else if (pendingNotifications.length < MAX_PENDING_NOTIFICATIONS) pendingNotifications.push(forwarded);
    },
  };
  const events: UpstreamEvents = {
    notification(received) {
      const { message, frame } = received;
      if (clients.size > 1 && message.method === 'notifications/resources/updated')
        return forwardResourceUpdate(received, clients);
      if (!LIST_CHANGED_KINDS.has(String(message.method))) return forwardNotification(received, audience);
      const forwarded = toOutgoingMessage(frame);
      if (forwarded !== undefined) for (const client of clients) client.serverRequests.notify(forwarded);
    },
    connected() {
      for (const message of pendingNotifications.splice(0)) upstream.forwardNotification(message);
      sendLogLevel(upstream, clients);
      replaySubscriptions(upstream, clients);
      for (const client of clients) {
        if (client.awaitsLists) notifyListsChanged(client, upstream);
        client.awaitsLists = false;
      }
    },
    stateChanged() {
      const checks = readyChecks;
      readyChecks = [];
      for (const check of checks) check();
    },
  };
  return { routing, events };
}

function toolsRewriteFor({ profile: name }: Client): Pick<ResponseHooks, 'rewrite'> {
  if (name === 'none') return {};
  return { rewrite: ({ frame }, idText) => rewriteTools(frame, idText, PROFILES[name]) };
}

/** Records the log level and subscriptions, which a restarted server has to receive again. */
function recordForRestart(client: Client, upstream: Upstream, { method, message: { params } }: ClientRequest): void {
  const { level, uri } = isObject(params) ? params : {};
  if (method === 'logging/setLevel' && typeof level === 'string') client.setLogLevel(level);
  if (typeof uri !== 'string') return;
  if (method === 'resources/subscribe') client.setSubscription(uri, { upstream, uri });
  if (method === 'resources/unsubscribe') client.setSubscription(uri, undefined);
}

/**
 * Returns the error for a request before `initialize`. The server is started with the params of `initialize`, so
 * nothing can be forwarded earlier. `server/discover` of the newest protocol fails with `METHOD_NOT_FOUND`, so that the
 * client falls back to `initialize`.
 */
function notInitialized(method: string): AppError {
  if (method === 'server/discover') return new AppError('METHOD_NOT_FOUND', `Method not found: ${method}`);
  return new AppError('INVALID_REQUEST', `${method} was sent before initialize.`);
}

/** Tells a client that got a minimal `initialize` response which lists are available now. */
function notifyListsChanged(client: Client, { initializeResult }: Upstream): void {
  for (const kind of ['tools', 'prompts', 'resources']) {
    if (isObject(initializeResult?.capabilities[kind])) client.notify(`notifications/${kind}/list_changed`);
  }
}
