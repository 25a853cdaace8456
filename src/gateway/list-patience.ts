import type { ListKind } from '../upstream/listing.ts';
import type { Client } from './client.ts';
import { isCodex } from './meet-client.ts';
import type { GatewaySettings } from './settings.ts';

/**
 * How long a list waits for servers of which nothing is known yet. Codex asks for tools once and never again, so that a
 * server which is late for that list is lost for the whole conversation. It gives up on all of us when the list takes
 * longer than its own limit: 30 seconds today, ten in old versions.
 */
export function listPatience(
  client: Client,
  kind: ListKind,
  { listTimeoutMs, isListTimeoutSet }: Pick<GatewaySettings, 'listTimeoutMs' | 'isListTimeoutSet'>,
): number {
  const isOnlyList = kind === 'tools' && isCodex(client) && !client.lists.hasRead(kind);
  if (!isOnlyList || isListTimeoutSet) return listTimeoutMs;
  return waitsLong(client.version) ? ONLY_LIST_MS : ONLY_LIST_OF_OLD_MS;
}

const ONLY_LIST_MS = 15_000;
const ONLY_LIST_OF_OLD_MS = 8_000;

/** The limit was ten seconds up to 0.117, and is 30 since. */
function waitsLong(version: string): boolean {
  const [, major, minor] = /^(\d+)\.(\d+)/.exec(version) ?? [];
  return Number(major) > 0 || Number(minor) >= FIRST_PATIENT_MINOR;
}

const FIRST_PATIENT_MINOR = 118;
