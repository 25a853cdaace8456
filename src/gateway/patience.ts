import { toJsonRpcError } from '../base/translate.ts';
import type { ListKind } from '../upstream/listing.ts';
import { errorText } from '../wire/messages.ts';
import type { Client } from './client.ts';
import type { ClientRequest } from './routing.ts';
import type { Settling } from './settling.ts';
import { Deferred } from './under-way.ts';

type Handler = (client: Client, request: ClientRequest) => void;

/** How a request is looked up. */
export interface Lookup {
  /** The lists in which it may be found. */
  readonly kinds: readonly ListKind[];
  readonly isKnown: (client: Client, request: ClientRequest) => boolean;
}

/**
 * A client is answered before the servers are started, and may ask at once for something that its server has not listed
 * yet. As long as servers are starting, such a request waits, up to the time that a list may take.
 */
export function createPatience(settling: Settling, timeoutMs: number): (handler: Handler, lookup: Lookup) => Handler {
  return (handler, { kinds, isKnown }) =>
    (client, request) => {
      if (!isKnown(client, request)) settling.retryFailed(kinds);
      const isDecided = () => isKnown(client, request) || kinds.every((kind) => settling.isListed(kind));
      if (isDecided()) return handler(client, request);
      const { idText, method, reply } = request;
      const context = { method, toolName: undefined, serverName: undefined };
      const deferred = new Deferred({ client, idText, context, reply });
      const handle = () => {
        if (!deferred.handOver()) return;
        try {
          handler(client, request);
        } catch (error) {
          reply(errorText(idText, toJsonRpcError(error)));
        }
      };
      settling.until(() => deferred.isDone || isDecided(), timeoutMs, handle);
    };
}
