import { isCodex, isCodexAtLeast } from '../../schema/profiles/codex-client.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import { isObject, RawJson, resultText } from '../../wire/messages.ts';
import type { Client } from '../client/client.ts';
import type { GatewayServers } from '../servers/gateway-servers.ts';
import type { GatewaySettings } from '../settings.ts';
import type { ClientRequest } from './routing.ts';
import { replyWhenKnown } from './wait-for-listing.ts';

export type ListTimeouts = Pick<GatewaySettings, 'listTimeoutMs' | 'isListTimeoutSet'>;

type Handler = (client: Client, request: ClientRequest) => void;

/** Returns a function that creates the handler of the list requests of one kind. */
export function createListRequests(servers: GatewayServers, timeouts: ListTimeouts): (kind: ListKind) => Handler {
  const { readiness } = servers;
  return (kind) => (client, request) => {
    // A client that skips `initialize` still gets a list. Its capabilities are unknown.
    if (client.capabilities === undefined) servers.start({}, servers.viewOf(client));
    const cursor = isObject(request.message.params) ? request.message.params['cursor'] : undefined;
    const catalog = servers.catalogOf(client);
    const visible = () => servers.viewOf(client).servers();
    const isOnlyList = readsOnce(client, kind);
    // A fallback catalog may lack tools, and a client that lists once would never see them.
    const isKnown = () => (isOnlyList ? readiness.isKnownExactly : readiness.isKnown)(kind, visible());
    const writePage = () => {
      if (kind === 'tools') servers.listAnswered();
      client.lists.recordRead(kind, catalog.version(kind));
      return resultText(request.idText, new RawJson(catalog.page(kind, cursor)));
    };
    // A cursor belongs to a list that was already sent, so there is nothing to wait for.
    if (cursor !== undefined || isKnown()) return request.exchange.respond(writePage());
    const lacksCatalog = !readiness.isKnown(kind, visible());
    const timeoutMs = isOnlyList && lacksCatalog ? onlyListTimeout(client, timeouts) : timeouts.listTimeoutMs;
    replyWhenKnown(readiness, client, request, { isKnown, timeoutMs, answer: writePage });
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
