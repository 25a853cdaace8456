import { quoteIfNeeded } from '../../base/text/visible-text.ts';
import type { NewServers } from '../../clients/import/find-new-servers.ts';

/** The command that imports them. */
export const IMPORT_NEW = 'switchboard import --new';

/** Names the servers of clients that no import has seen; undefined if there are none. */
export function newServersText(fresh: readonly NewServers[]): string | undefined {
  if (fresh.length === 0) return undefined;
  const places = fresh.map(({ title, names }) => `${names.map(quoteIfNeeded).join(', ')} (${title})`);
  return `Not imported yet: ${places.join('; ')}`;
}
