import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { noServersLines } from '../no-servers.ts';
import type { ServerChoice } from './choose-servers.ts';
import type { ServerList } from './list-servers.ts';

/** Explains an empty list without failures. */
export function emptyListText(what: string, { isEmpty }: ServerChoice, lists: readonly ServerList[]): string {
  if (isEmpty) return noServersLines().join('\n');
  const [only, ...others] = lists;
  if (only === undefined) return `no ${what}: no server is both enabled and trusted`;
  if (others.length > 0) return `no ${what}`;
  const name = quoteIfNeeded(only.entry.id);
  return only.isOffered ? `${name} has no ${what}` : `${name} does not offer ${what}`;
}
