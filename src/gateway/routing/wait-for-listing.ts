import { toJsonRpcError } from '../../base/error-translation.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { errorText } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import { DeferredResponse } from '../client/pending-request.ts';
import type { Readiness } from '../servers/readiness.ts';
import type { ClientRequest } from './routing.ts';

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
export function createWaitForListing(
  readiness: Readiness,
  timeoutMs: number,
): (handler: Handler, lookup: Lookup) => Handler {
  return (handler, { kinds, isKnown }) =>
    (client, request) => {
      if (!isKnown(client, request)) readiness.retryFailedLists(kinds);
      const isDecided = () => isKnown(client, request) || kinds.every((kind) => readiness.isListed(kind));
      if (isDecided()) return handler(client, request);
      const { idText, method, reply } = request;
      const context = { method, toolName: undefined, serverName: undefined };
      const deferred = new DeferredResponse({ client, idText, context, reply });
      const handle = () => {
        if (!deferred.release()) return;
        try {
          handler(client, request);
        } catch (error) {
          reply(errorText(idText, toJsonRpcError(error)));
        }
      };
      readiness.waitUntil(() => deferred.isDone || isDecided(), timeoutMs, handle);
    };
}
