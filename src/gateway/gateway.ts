import { toJsonRpcError } from '../base/error-translation.ts';
import { AppError } from '../base/errors.ts';
import type { UpstreamCall } from '../upstream/connection/call.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { UpstreamListener } from '../upstream/upstream-options.ts';
import { type Frame, frameBytes } from '../wire/frame.ts';
import { rawMember } from '../wire/json/scan.ts';
import type { OutgoingMessage } from '../wire/json/splice.ts';
import { errorText, type JsonRpcMessage, resultText } from '../wire/messages.ts';
import { missingCapability } from './bridge/capabilities.ts';
import { forwardCancellation, recipientsOf, relatedRequest } from './bridge/notifications.ts';
import { Client } from './client/client.ts';
import { createAttachedRouting, releaseSubscriptions } from './routing/attached-routing.ts';
import type { ErrorStyle } from './routing/error-response.ts';
import { ForwardedRequest } from './routing/forwarded-request.ts';
import type { Routing } from './routing/routing.ts';

/**
 * Connects clients and upstreams. Upstreams report events to `listener`, and the routing decides how to handle them.
 */
export interface GatewayCore {
  readonly clients: ReadonlySet<Client>;
  readonly listener: UpstreamListener;
  /** The `initialize` params of the first client. Undefined before that. */
  initializeParams(): unknown;
  isStarted(): boolean;
  /**
   * Records the `initialize` params of a client. Returns true for the first client: the upstreams must be started then,
   * and they receive its capabilities.
   */
  start(params: unknown): boolean;
  /** Creates the gateway that clients connect to. */
  createGateway(parts: GatewayParts): Gateway;
}

interface GatewayParts {
  /** The upstreams in use and those that are being drained. */
  readonly upstreams: () => readonly Upstream[];
  readonly routing: Routing;
  readonly errorStyle: ErrorStyle;
  /** Returns why a tool must not be called, by its name on the server, or undefined if it may be called. */
  readonly whyWithheld?: ((upstream: Upstream, tool: string) => string | undefined) | undefined;
}

/** Output for the user outside of the protocol. Details appear only in debug mode. */
export interface GatewayLog {
  debug(text: string): void;
  /** Writes a warning that is always shown. */
  warn(text: string): void;
  /** Receives every notification of an upstream. */
  notification(upstream: Upstream, message: JsonRpcMessage): void;
}

export interface Gateway {
  upstreams(): readonly Upstream[];
  connect(send: (message: OutgoingMessage) => void): Client;
  /** Adds an attached client, which talks only to this server. */
  attach(upstream: Upstream, send: (message: OutgoingMessage) => void): Client;
  clients(): readonly Client[];
  /** Removes a client that has disconnected and cancels its pending requests. */
  disconnect(client: Client, reason: AppError): void;
  /** Pauses reading from all upstreams while a client does not read its output. */
  pause(): void;
  resume(): void;
  /**
   * Lets uncached servers list their tools for the next client, and stops all others. Call it before `close`, after the
   * last client has disconnected. Resolves within `withinMs`.
   */
  finishCaching?(withinMs: number): Promise<void>;
  /** Closes every upstream. May be called twice. Never throws. */
  close(): Promise<void>;
}

/**
 * Creates the core that connects clients and upstreams. All state of a client is in its `Client`, all state of a server
 * in its `Upstream`.
 */
export function createGatewayCore(log: GatewayLog): GatewayCore {
  const clients = new Set<Client>();
  let gatewayParts: GatewayParts | undefined;
  let initializeParams: unknown;
  let isStarted = false;

  const listener: UpstreamListener = {
    stateChanged(upstream) {
      log.debug(`${upstream.id}: ${describe(upstream)}`);
      gatewayParts?.routing.stateChanged(upstream);
    },
    connected: (upstream) => gatewayParts?.routing.connected(upstream),
    disconnected(upstream) {
      for (const client of clients) client.serverRequests.cancel(upstream);
    },
    request: (upstream, message, frame, call) => forwardServerRequest({ upstream, message, frame, call }, clients),
    notification(upstream, message, frame) {
      log.notification(upstream, message);
      if (message.method === 'notifications/cancelled') return forwardCancellation(upstream, message, frame, clients);
      gatewayParts?.routing.upstreamNotification(upstream, message, frame);
    },
    invalidMessage(upstream, error) {
      // Users notice a missing tool, so an invalid one is a warning. Invalid output on stdout is not.
      const write = error.code === 'TOOL_INVALID' ? log.warn : log.debug;
      write(`${upstream.id}: ${error.message}`);
    },
  };

  return {
    clients,
    listener,
    initializeParams: () => initializeParams,
    isStarted: () => isStarted,
    start(params) {
      if (isStarted) return false;
      isStarted = true;
      initializeParams = params;
      return true;
    },
    createGateway(parts) {
      gatewayParts = parts;
      return createGateway(clients, parts);
    },
  };
}

function createGateway(clients: Set<Client>, { upstreams, routing, errorStyle, whyWithheld }: GatewayParts): Gateway {
  const add = (client: Client) => {
    clients.add(client);
    return client;
  };
  return {
    upstreams,
    connect: (send) => add(new Client({ send, routing, errorStyle })),
    attach(upstream, send) {
      const attachedRouting = createAttachedRouting(upstream, {
        clients,
        whyWithheld: (tool) => whyWithheld?.(upstream, tool),
      });
      return add(
        new Client({ send, routing: attachedRouting, errorStyle: { ...errorStyle, isPassthrough: true }, upstream }),
      );
    },
    clients: () => [...clients],
    disconnect(client, reason) {
      clients.delete(client);
      if (client.isAttached) releaseSubscriptions(client, clients);
      client.close(reason);
    },
    pause() {
      for (const upstream of upstreams()) upstream.pause();
    },
    resume() {
      for (const upstream of upstreams()) upstream.resume();
    },
    async close() {
      await Promise.all(upstreams().map((upstream) => upstream.close()));
    },
  };
}

interface IncomingServerRequest {
  readonly upstream: Upstream;
  readonly message: JsonRpcMessage;
  readonly frame: Frame;
  /** The call that caused the request, if known. */
  readonly call: UpstreamCall | undefined;
}

/** Forwards a server request to the one client that it can be for and that supports it. */
function forwardServerRequest({ upstream, message, frame, call }: IncomingServerRequest, clients: ReadonlySet<Client>) {
  const idText = rawMember(frameBytes(frame), 'id') ?? 'null';
  if (message.method === 'ping') return upstream.respond(resultText(idText, {}));
  const related = relatedRequest(upstream, message) ?? (call instanceof ForwardedRequest ? call : undefined);
  if (related !== undefined) return related.client.serverRequests.forward(upstream, message, frame, related);
  const candidates = recipientsOf(upstream, clients);
  const capable = candidates.filter(
    (client) => !client.isInitialized || missingCapability(message, client.capabilities) === undefined,
  );
  const [client] = capable.length > 0 ? capable : candidates;
  if (client !== undefined && capable.length <= 1) return client.serverRequests.forward(upstream, message, frame);
  const error = new AppError('METHOD_NOT_FOUND', `${message.method}: nobody can tell which client this is for.`);
  upstream.respond(errorText(idText, toJsonRpcError(error)));
}

function describe({ state, where, initializeResult }: Upstream): string {
  switch (state.kind) {
    case 'ready':
      return `ready (${where}, protocol ${initializeResult?.protocolVersion})`;
    case 'error':
      return `error: ${state.error.message}`;
    case 'auth_required':
      return `${state.kind}: ${state.reason}`;
    case 'idle':
    case 'connecting':
      return state.kind;
  }
}
