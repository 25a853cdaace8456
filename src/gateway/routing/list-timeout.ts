import { isCodex, isCodexAtLeast } from '../../schema/profiles/codex-client.ts';
import type { ListKind } from '../../upstream/catalog/listing.ts';
import type { Client } from '../client/client.ts';
import type { GatewaySettings } from '../entry/settings.ts';

/**
 * How long a list waits for servers of which nothing is known yet. Codex asks for tools once and never again, so that a
 * server which is late for that list is lost for the whole conversation. It gives up on all of us when the list takes
 * longer than its own limit: 30 seconds today, ten in old versions.
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

/** The limit was ten seconds up to 0.117, and is 30 since. */
const FIRST_MINOR_WITH_LONG_LIMIT = 118;
