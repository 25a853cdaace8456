import { place } from '../../config/problem.ts';
import { unmatchedNames } from '../../config/tool-filter.ts';
import type { Member } from '../servers/gateway-server.ts';

/**
 * Reports the names in `enabled_tools` and `disabled_tools` that no tool of a server has, in one line per server.
 * A server whose list changes all the time is reported once, and again only when the config changes these names.
 */
export function createUnmatchedNews(tell: (line: string) => void): (member: Member) => void {
  const told = new WeakMap<Member, string>();
  return (member) => {
    const { catalog, entry } = member;
    // An old or incomplete list proves nothing.
    if (!catalog.isFresh('tools') || catalog.problem('tools') !== undefined) return;
    const names = catalog.list('tools').items.map(({ key }) => key);
    const unmatched = unmatchedNames(entry.tools, names);
    const filter = JSON.stringify(entry.tools);
    if (unmatched.length === 0 || told.get(member) === filter) return;
    told.set(member, filter);
    tell(`${entry.id}: ${unmatched.join('; ')} (${place(entry.origin.file, entry.origin.line)})`);
  };
}
