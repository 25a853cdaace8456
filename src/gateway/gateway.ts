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

/** Where clients and upstreams meet. Upstreams report to it; the routing says what is done with what they report. */
export interface GatewayCore {
  readonly clients: ReadonlySet<Client>;
  readonly listener: UpstreamListener;
  /** What the first client said of itself; undefined before. */
  initializeParams(): unknown;
  isStarted(): boolean;
  /** A client has said hello. True for the first: the upstreams are started now, and told what it can do. */
  start(params: unknown): boolean;
  /** From now on clients may come. */
  createGateway(parts: GatewayParts): Gateway;
}

interface GatewayParts {
  /** Those that are used now, and those that are on their way out. */
  readonly upstreams: () => readonly Upstream[];
  readonly routing: Routing;
  readonly errorStyle: ErrorStyle;
  /** Why nobody may call this tool of a server, by the server's own name of it; undefined when everybody may. */
  readonly whyWithheld?: ((upstream: Upstream, tool: string) => string | undefined) | undefined;
}

/** What a person is told beside the protocol; the details only when they asked for them. */
export interface GatewayLog {
  debug(text: string): void;
  /** Something that nobody asked for and everybody should know. */
  warn(text: string): void;
  /** An upstream said something beside its answers. */
  notification(upstream: Upstream, message: JsonRpcMessage): void;
}

export interface Gateway {
  upstreams(): readonly Upstream[];
  connect(send: (message: OutgoingMessage) => void): Client;
  /** A client beside the usual ones, which speaks to this one server and to no other. */
  attach(upstream: Upstream, send: (message: OutgoingMessage) => void): Client;
  clients(): readonly Client[];
  /** The client has left: what it asked for is cancelled. */
  disconnect(client: Client, reason: AppError): void;
  /** A client does not read: upstreams rest until it does. */
  pause(): void;
  resume(): void;
  /**
   * Before `close`, when the last client has left: servers that nobody knows yet may list their tools, so that the next
   * client has them; all others are stopped. Resolves within this time.
   */
  finishCaching?(withinMs: number): Promise<void>;
  /** Ends every upstream. May be called twice, never throws. */
  close(): Promise<void>;
}

/** Joins clients and upstreams. All state of a client is in its `Client`, all state of a server in its `Upstream`. */
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
      // A tool that nobody is offered is missed by somebody; junk on stdout is not.
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
  /** Because of which it asks, where that is known. */
  readonly call: UpstreamCall | undefined;
}

/** A question of an upstream goes to the one client that it can concern and that can answer it. */
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

function describe({ state, where, initializeResult: facts }: Upstream): string {
  switch (state.kind) {
    case 'ready':
      return `ready (${where}, protocol ${facts?.protocolVersion})`;
    case 'error':
      return `error: ${state.error.message}`;
    case 'disabled':
    case 'auth_required':
      return `${state.kind}: ${state.reason}`;
    case 'idle':
    case 'connecting':
      return state.kind;
  }
}
