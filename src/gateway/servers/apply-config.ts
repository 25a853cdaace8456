import { compareEntries } from '../../config/entry/compare-entries.ts';
import type { LoadedConfig, ServerEntry } from '../../config/server-entry.ts';
import type { GatewayServer } from './gateway-server.ts';
import { createServerTransitions, type ServerTransitionOptions } from './server-transitions.ts';

/** The effect of a new config on the servers, by id. Adjusted servers keep their process under changed settings. */
export type ConfigChange = Readonly<Record<'started' | 'replaced' | 'adjusted' | 'stopped', readonly string[]>>;

/**
 * Returns a function that applies a config to the servers. Unchanged servers are not touched. A changed server is
 * replaced: the new instance takes every new call while the old one drains. Calls that the old instance has not received
 * move to the new one; those it has received fail if they take longer than the drain allows.
 */
export function createConfigApplier(options: ServerTransitionOptions): (config: LoadedConfig) => ConfigChange {
  const { registry, pool, isStarted, isWanted } = options;
  const transitions = createServerTransitions(options);

  return (config) => {
    registry.setConfig(config);
    const before = new Map(registry.servers.map((server) => [server.entry.id, server]));
    const started: string[] = [];
    const replaced: string[] = [];
    const adjusted: string[] = [];
    const stopped: string[] = [];
    const updated: GatewayServer[] = [];
    for (const { verdict } of config.servers) {
      if (verdict.kind !== 'usable') continue;
      const { entry } = verdict;
      const old = before.get(entry.id);
      before.delete(entry.id);
      const difference = old === undefined ? 'new' : compareEntries(old.entry, entry);
      const isUsed = !isStarted() || isWanted(entry.id);
      if (old === undefined) {
        if (isUsed) started.push(entry.id);
        updated.push(transitions.add(entry));
      } else if (old.isWanted && !isUsed) {
        stopped.push(entry.id);
        updated.push(transitions.park(old, entry));
      } else if (difference === 'server') {
        if (isUsed) replaced.push(entry.id);
        updated.push(transitions.replace(old, entry));
      } else {
        if (difference === 'settings') adjusted.push(entry.id);
        adjust(old, entry);
        for (const upstream of pool.processesOf(old)) upstream.setLimits(entry);
        updated.push(old);
        if (!old.isWanted && isWanted(entry.id)) {
          started.push(entry.id);
          transitions.start(old);
        }
      }
    }
    registry.setServers(updated);
    for (const server of before.values()) transitions.remove(server);
    const removed = [...before.values()].filter(({ isWanted: wasWanted }) => !isStarted() || wasWanted);
    return { started, replaced, adjusted, stopped: [...stopped, ...removed.map(({ entry }) => entry.id)] };
  };
}

/** Applies new settings to a running server. A newly pinned server is pinned to the tools that it lists now. */
function adjust(server: GatewayServer, entry: ServerEntry): void {
  server.entry = entry;
  const { catalog, pin } = server;
  if (entry.pin && catalog.isListed('tools') && catalog.hasList('tools'))
    pin.toolsListed(undefined, catalog.list('tools'));
}
