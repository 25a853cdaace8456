import { formatLocation } from '../../config/problem.ts';
import { unmatchedNames } from '../../config/tool-filter.ts';
import { displayedState } from '../../control/status/diagnosis.ts';
import { isStillStarting } from '../../upstream/catalog-cache/failure-cache.ts';
import type { ConfigChange } from '../servers/apply-config.ts';
import type { GatewayServer } from '../servers/gateway-server.ts';
import type { ServerRegistry } from '../servers/server-registry.ts';
import { type Condition, createConditionLog } from './condition-log.ts';
import { conditionOf } from './server-condition.ts';

/** Reports every change in the condition of a server, after the summary has shown the initial ones. */
export interface ConditionReporter {
  /** Reports changes from now on. Call it after writing the summary. */
  start(): void;
  /** Checks a server whose state or lists may have changed. */
  check(server: GatewayServer | undefined): void;
  configApplied(change: ConfigChange): void;
  stop(): void;
}

export function createConditionReporter(registry: ServerRegistry, report: (line: string) => void): ConditionReporter {
  const log = createConditionLog(report);
  const reportUnmatched = createUnmatchedReporter(report);
  let isStarted = false;

  const conditionNow = (server: GatewayServer) => {
    const { id } = server.entry;
    return conditionOf(
      server,
      registry.config.servers.find((configured) => configured.id === id),
    );
  };

  return {
    start() {
      isStarted = true;
      for (const server of registry.servers)
        log.setBaseline(server.entry.id, conditionNow(server) ?? conditionInSummary(server));
      registry.servers.forEach(reportUnmatched);
    },
    check(server) {
      if (server === undefined || !isStarted) return;
      // Deferred, because a server's lists are marked as outdated only after its state has changed to ready.
      queueMicrotask(() => {
        if (!registry.servers.includes(server)) return;
        const condition = conditionNow(server);
        if (condition !== undefined) log.update(server.entry.id, condition);
        reportUnmatched(server);
      });
    },
    configApplied({ started, adjusted, stopped }) {
      stopped.forEach(log.remove);
      if (!isStarted) return;
      for (const id of started) log.setBaseline(id, undefined);
      registry.servers.filter(({ entry }) => adjusted.includes(entry.id)).forEach(reportUnmatched);
    },
    stop: log.stop,
  };
}

/**
 * Returns the condition that the summary shows for a server that has not answered all its lists, or is still starting.
 * A server that failed in an earlier run counts as failed while it starts, so another failure is not reported. One that
 * is still starting for the first time does not.
 */
function conditionInSummary(server: GatewayServer): Condition | undefined {
  const kind = displayedState(server);
  if (kind === 'ready' || kind === 'degraded') return { kind };
  const { startFailure } = server.upstream;
  return startFailure === undefined || isStillStarting(startFailure) ? undefined : { kind: 'failed' };
}

/**
 * Reports the names in `enabled_tools` and `disabled_tools` that no tool of a server has, in one line per server.
 * A server whose list changes all the time is reported once, and again only when the config changes these names.
 */
function createUnmatchedReporter(report: (line: string) => void): (server: GatewayServer) => void {
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
