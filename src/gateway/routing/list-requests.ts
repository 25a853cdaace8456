import { isCodex, isCodexAtLeast } from '../../schema/profiles/codex-client.ts';
import { type CacheHints, combineCacheHints } from '../../upstream/catalog/cache-hints.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import type { GatewaySettings } from '../settings.ts';
import type { AggregateRoutingOptions } from './aggregate-routing.ts';
import type { ClientRequest } from './routing.ts';
import { replyWhenKnown } from './wait-for-listing.ts';

export interface ListRequests {
  /** Returns the handler of requests for a list. */
  handle(kind: ListKind): (client: Client, request: ClientRequest) => void;
  /** Returns how long this client may cache a list. */
  cacheHints(client: Client, kind: ListKind): CacheHints;
}

/** Answers requests for the merged lists of the servers that a client sees. */
export function createListRequests({ servers, settings }: AggregateRoutingOptions): ListRequests {
  const { readiness } = servers;
  return {
    handle: (kind) => (client, request) => {
      const view = servers.viewOf(client);
      // A client that skips `initialize` still gets a list. Its capabilities are unknown.
      if (client.capabilities === undefined) servers.start({}, view);
      const cursor = isObject(request.message.params) ? request.message.params['cursor'] : undefined;
      const catalog = servers.catalogOf(client);
      for (const server of view.servers()) server.catalog.clientReads(kind);
      const isKnown = () => readiness.isKnown(kind, servers.viewOf(client).servers());
      const writePage = () => {
        if (kind === 'tools') servers.listAnswered();
        client.lists.recordRead(kind, catalog.version(kind));
        return resultText(request.idText, new RawJson(catalog.page(kind, cursor)));
      };
      // A cursor belongs to a list that was already sent, so there is nothing to wait for.
      if (cursor !== undefined || isKnown()) return request.exchange.respond(writePage());
      const timeoutMs = listTimeoutFor(client, kind, settings);
      replyWhenKnown(readiness, client, request, { isKnown, timeoutMs, answer: writePage });
    },
    cacheHints(client, kind) {
      const parts = servers.viewOf(client).servers();
      const hints = combineCacheHints(parts.map(({ catalog }) => catalog.cacheHints(kind)));
      // Definitions are rewritten for this kind of client only.
      return client.profile === 'none' ? hints : { ...hints, cacheScope: 'private' };
    },
  };
}

/**
 * Returns how long a list waits for servers without a known catalog. Codex requests tools only once, so a server that
 * misses that list is lost for the whole session. If the list takes longer than Codex's own limit, Codex gives up on
 * the whole gateway: 30 seconds today, ten in old versions.
 */
function listTimeoutFor(
  client: Client,
  kind: ListKind,
  { listTimeoutMs, isListTimeoutSet }: Pick<GatewaySettings, 'listTimeoutMs' | 'isListTimeoutSet'>,
): number {
  const isOnlyList = kind === 'tools' && isCodex(client.info) && !client.lists.hasRead(kind);
  if (!isOnlyList || isListTimeoutSet) return listTimeoutMs;
  return isCodexAtLeast(client.info, FIRST_MINOR_WITH_LONG_LIMIT) ? SINGLE_LIST_TIMEOUT_MS : OLD_CODEX_LIST_TIMEOUT_MS;
}

const SINGLE_LIST_TIMEOUT_MS = 15_000;
const OLD_CODEX_LIST_TIMEOUT_MS = 8_000;

/** Codex's limit was ten seconds up to 0.117 and is 30 seconds since. */
const FIRST_MINOR_WITH_LONG_LIMIT = 118;
