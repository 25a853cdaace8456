import { isCodex, isCodexAtLeast } from '../../schema/profiles/codex-client.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Client } from '../client/client.ts';
import type { GatewaySettings } from '../entry/settings.ts';

/**
 * Returns how long a list waits for servers without a known catalog. Codex requests tools only once, so a server that
 * misses that list is lost for the whole session. If the list takes longer than Codex's own limit, Codex gives up on
 * the whole gateway: 30 seconds today, ten in old versions.
 */
export function listTimeoutFor(
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
