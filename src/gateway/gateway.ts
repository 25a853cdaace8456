import type { AppError } from '../base/errors.ts';
import type { AttachedConnection } from '../control/socket/control-connection.ts';
import type { Upstream } from '../upstream/upstream.ts';
import type { OutgoingMessage } from '../wire/json/splice.ts';
import type { JsonRpcMessage } from '../wire/messages.ts';
import { dropSubscriptions } from './bridge/subscriptions.ts';
import { Client } from './client/client.ts';
import { createAttachedRouting } from './routing/attached-routing.ts';
import type { ErrorStyle } from './routing/error-response.ts';
import type { Routing } from './routing/routing.ts';
import type { GatewayView } from './views/gateway-view.ts';

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
  /** Adds a client that sees everything, or only the given view. */
  connect(send: (message: OutgoingMessage) => void, view?: GatewayView): Client;
  /**
   * Adds an attached client, which talks only to this instance of a server. Its connection is closed when the instance
   * has been replaced or removed.
   */
  attach(upstream: Upstream, connection: AttachedConnection): Client;
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

export interface GatewayParts extends Pick<Gateway, 'pause' | 'resume'> {
  readonly clients: Set<Client>;
  /** Returns the upstreams in use and those that are being drained. */
  readonly upstreams: () => readonly Upstream[];
  readonly routing: Routing;
  /** Called when a client has left and its calls are cancelled. */
  readonly clientLeft?: ((client: Client) => void) | undefined;
  readonly errorStyle: ErrorStyle;
  /** Returns why a tool must not be called, by its name on the server, or undefined if it may be called. */
  readonly whyNotCallable?: ((upstream: Upstream, tool: string) => string | undefined) | undefined;
  /** Returns whether a tool may run twice, by its name on the server. */
  readonly isIdempotent?: ((upstream: Upstream, tool: string) => boolean) | undefined;
}

/** Creates the gateway that clients connect to. All state of a client is in its `Client`. */
export function createGateway(parts: GatewayParts): Gateway {
  const { clients, upstreams, pause, resume, routing, clientLeft, errorStyle, whyNotCallable, isIdempotent } = parts;
  const add = (client: Client) => {
    clients.add(client);
    return client;
  };
  return {
    upstreams,
    connect: (send, view) => add(new Client({ send, routing, errorStyle, view })),
    attach(upstream, { send, close }) {
      const attachedRouting = createAttachedRouting(upstream, {
        clients,
        whyNotCallable: (tool) => whyNotCallable?.(upstream, tool),
        isIdempotent: (tool) => isIdempotent?.(upstream, tool) ?? false,
      });
      return add(
        new Client({
          send,
          routing: attachedRouting,
          errorStyle: { ...errorStyle, isPassthrough: true },
          attachment: { upstream, close },
        }),
      );
    },
    clients: () => [...clients],
    disconnect(client, reason) {
      clients.delete(client);
      // What a session keeps for another process must survive its end here.
      client.onSettings = () => {};
      dropSubscriptions(client, clients);
      client.close(reason);
      clientLeft?.(client);
    },
    pause,
    resume,
    async close() {
      await Promise.all(upstreams().map((upstream) => upstream.close()));
    },
  };
}
