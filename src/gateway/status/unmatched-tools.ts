import { formatLocation } from '../../config/problem.ts';
import { unmatchedNames } from '../../config/tool-filter.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';

/**
 * Reports the names in `enabled_tools` and `disabled_tools` that no tool of a server has, in one line per server.
 * A server whose list changes all the time is reported once, and again only when the config changes these names.
 */
export function createUnmatchedReporter(report: (line: string) => void): (server: GatewayServer) => void {
  const reported = new WeakMap<GatewayServer, string>();
  return (server) => {
    const { catalog, entry } = server;
    // An old or incomplete list proves nothing.
    if (!catalog.isFresh('tools') || catalog.problem('tools') !== undefined) return;
    const names = catalog.list('tools').items.map(({ key }) => key);
    const unmatched = unmatchedNames(entry.tools, names);
    const filter = JSON.stringify(entry.tools);
    if (unmatched.length === 0 || reported.get(server) === filter) return;
    reported.set(server, filter);
    report(`${entry.id}: ${unmatched.join('; ')} (${formatLocation(entry.origin.file, entry.origin.line)})`);
  };
}
