import { toJsonRpcError } from '../../base/error-translation.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { errorText } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import type { Readiness } from '../servers/readiness.ts';
import { DeferredResponse } from './deferred-response.ts';
import type { ClientRequest } from './routing.ts';

type Handler = (client: Client, request: ClientRequest) => void;

/** How to find the server of a request. */
export interface Lookup {
  /** The lists that may contain its target. */
  readonly kinds: readonly ListKind[];
  readonly isKnown: (client: Client, request: ClientRequest) => boolean;
}

/**
 * Wraps handlers so that they wait for servers to list their items. `initialize` is answered before the servers start,
 * so a client may immediately request something that its server has not listed yet. While servers are starting, such a
 * request waits for up to the list timeout.
 */
export function createWaitForListing(
  servers: GatewayServers,
  timeoutMs: number,
): (handler: Handler, lookup: Lookup) => Handler {
  const { readiness } = servers;
  return (handler, { kinds, isKnown }) =>
    (client, request) => {
      const visible = () => servers.viewOf(client).servers();
      if (!isKnown(client, request)) readiness.retryFailedLists(kinds, visible());
      const isDecided = () => isKnown(client, request) || kinds.every((kind) => readiness.isSettled(kind, visible()));
      if (isDecided()) return handler(client, request);
      const { idText, method, exchange } = request;
      const context = { method, publicName: undefined, serverName: undefined };
      const deferred = new DeferredResponse({ client, idText, context, exchange });
      const handle = () => {
        if (!deferred.release()) return;
        try {
          handler(client, request);
        } catch (error) {
          exchange.respond(errorText(idText, toJsonRpcError(error)));
        }
      };
      readiness.callWhen(() => deferred.isDone || isDecided(), timeoutMs, handle);
    };
}

export interface AwaitedList {
  /** Returns whether the lists of all servers that the client sees are known. */
  readonly isKnown: () => boolean;
  readonly timeoutMs: number;
  /** Returns the response, without the servers that have not listed their items. */
  readonly answer: () => string;
}

/** Answers a list request when the lists are known, or after `timeoutMs` without the slow servers. */
export function replyWhenKnown(
  readiness: Readiness,
  client: Client,
  { idText, method, exchange }: ClientRequest,
  { isKnown, timeoutMs, answer }: AwaitedList,
): void {
  const context = { method, publicName: undefined, serverName: undefined };
  const deferred = new DeferredResponse({ client, idText, context, exchange, fallback: answer });
  const isDone = () => deferred.isDone || isKnown();
  readiness.callWhen(isDone, timeoutMs, () => {
    // A cancelled list was never read, so nothing may be recorded for it.
    if (!deferred.isDone) deferred.answer(answer());
  });
}
