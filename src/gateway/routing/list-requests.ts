import { isCodex, isCodexAtLeast } from '../../schema/profiles/codex-client.ts';
import { type CacheHints, combineCacheHints } from '../../upstream/catalog/cache-hints.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import type { GatewaySettings } from '../settings.ts';
import type { ClientRequest } from './routing.ts';
import { replyWhenKnown } from './wait-for-listing.ts';

export type ListTimeouts = Pick<GatewaySettings, 'listTimeoutMs' | 'isListTimeoutSet'>;

export interface ListRequests {
  /** Returns the handler of requests for a list. */
  handle(kind: ListKind): (client: Client, request: ClientRequest) => void;
  /** Returns how long this client may cache a list. */
  cacheHints(client: Client, kind: ListKind): CacheHints;
}

/** Answers requests for the merged lists of the servers that a client sees. */
export function createListRequests(servers: GatewayServers, timeouts: ListTimeouts): ListRequests {
  const { readiness } = servers;
  return {
    handle: (kind) => (client, request) => {
      const view = servers.viewOf(client);
      // A client that skips `initialize` still gets a list. Its capabilities are unknown.
      if (client.capabilities === undefined) servers.start({}, view);
      const cursor = isObject(request.message.params) ? request.message.params['cursor'] : undefined;
      const catalog = servers.catalogOf(client);
      for (const server of view.servers()) server.catalog.clientReads(kind);
      const isOnlyList = readsOnce(client, kind);
      // A fallback catalog may lack tools, and a client that lists once would never see them.
      const isKnown = () => (isOnlyList ? readiness.isKnownExactly : readiness.isKnown)(kind, view.servers());
      const writePage = () => {
        if (kind === 'tools') servers.listAnswered();
        client.lists.recordRead(kind, catalog.version(kind));
        return resultText(request.idText, new RawJson(catalog.page(kind, cursor)));
      };
      // A cursor belongs to a list that was already sent, so there is nothing to wait for.
      if (cursor !== undefined || isKnown()) return request.exchange.respond(writePage());
      const lacksCatalog = !readiness.isKnown(kind, view.servers());
      const timeoutMs = isOnlyList && lacksCatalog ? onlyListTimeout(client, timeouts) : timeouts.listTimeoutMs;
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

/** Returns whether the client requests this list only once: a server that misses it is lost for the whole session. */
function readsOnce(client: Client, kind: ListKind): boolean {
  return kind === 'tools' && isCodex(client.info) && !client.lists.hasRead(kind);
}

/**
 * Returns how long the only list of a client waits for servers without a known catalog. If the list takes longer than
 * Codex's own limit, Codex gives up on the whole gateway: 30 seconds today, ten in old versions.
 */
function onlyListTimeout({ info }: Client, { listTimeoutMs, isListTimeoutSet }: ListTimeouts): number {
  if (isListTimeoutSet) return listTimeoutMs;
  return isCodexAtLeast(info, FIRST_MINOR_WITH_LONG_LIMIT) ? ONLY_LIST_TIMEOUT_MS : OLD_CODEX_LIST_TIMEOUT_MS;
}

const ONLY_LIST_TIMEOUT_MS = 15_000;
const OLD_CODEX_LIST_TIMEOUT_MS = 8_000;

/** Codex's limit was ten seconds up to 0.117 and is 30 seconds since. */
const FIRST_MINOR_WITH_LONG_LIMIT = 118;
