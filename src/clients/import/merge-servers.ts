import { toServerId } from '../../config/foreign/server-id.ts';
import { definitionKey } from './definition-key.ts';
import type { FoundServer } from './find-servers.ts';

/** One server to import, which several clients may have. */
export interface ImportCandidate {
  /** The id in our config. */
  readonly id: string;
  /** The one whose settings are imported. */
  readonly server: FoundServer;
  /** The same server in other files. */
  readonly duplicates: readonly FoundServer[];
  /** Whether at least one client has it enabled. */
  readonly isEnabled: boolean;
}

/**
 * Merges servers with the same definition. If different servers have the same name, the later one gets the name of its
 * client as a suffix.
 */
export function mergeServers(found: readonly FoundServer[]): readonly ImportCandidate[] {
  const groups = new Map<string, FoundServer[]>();
  for (const server of found) {
    const key = definitionKey(server.entry);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [server]);
    else group.push(server);
  }
  const taken = new Set<string>();
  return [...groups.values()].flatMap((group) => {
    // A server for all projects must not be limited to one of them.
    const server = group.find(({ project }) => project === undefined) ?? group[0];
    if (server === undefined) return [];
    const id = freeId(server, taken);
    taken.add(id);
    const duplicates = group.filter((other) => other !== server);
    return [{ id, server, duplicates, isEnabled: group.some(({ entry }) => entry['enabled'] !== false) }];
  });
}

function freeId({ name, client }: FoundServer, taken: ReadonlySet<string>): string {
  const base = toServerId(name);
  if (!taken.has(base)) return base;
  for (let count = 1; ; count++) {
    const id = toServerId(`${base.slice(0, 40)}-${client ?? 'file'}${count === 1 ? '' : `-${count}`}`);
    if (!taken.has(id)) return id;
  }
}
