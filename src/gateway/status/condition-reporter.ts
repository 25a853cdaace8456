import type { LoadedConfig } from '../../config/server-entry.ts';
import { shownState } from '../../control/status/diagnosis.ts';
import { isStillStarting } from '../../upstream/catalog-cache/failure-cache.ts';
import type { ConfigChange } from '../servers/apply-config.ts';
import type { Member } from '../servers/gateway-server.ts';
import { type Condition, createStateNews } from './condition-log.ts';
import { conditionOf } from './server-condition.ts';
import { createUnmatchedNews } from './unmatched-tools.ts';

/** Reports every change in the condition of a server, after the summary has shown the initial ones. */
export interface FollowedStates {
  /** The summary has been written: report changes from now on. */
  begin(): void;
  /** The state or the lists of this server may have changed. */
  look(member: Member | undefined): void;
  applied(change: ConfigChange): void;
  stop(): void;
}

export interface FollowStatesOptions {
  readonly members: () => readonly Member[];
  readonly config: () => LoadedConfig;
  readonly tell: (line: string) => void;
}

export function followStates({ members, config, tell }: FollowStatesOptions): FollowedStates {
  const news = createStateNews(tell);
  const tellUnmatched = createUnmatchedNews(tell);
  let hasBegun = false;

  const conditionNow = (member: Member) => {
    const { id } = member.entry;
    return conditionOf(
      member,
      config().servers.find((server) => server.id === id),
    );
  };

  return {
    begin() {
      hasBegun = true;
      for (const member of members()) news.know(member.entry.id, conditionNow(member) ?? shownInSummary(member));
      members().forEach(tellUnmatched);
    },
    look(member) {
      if (member === undefined || !hasBegun) return;
      // Deferred, because a server's lists are marked as outdated only after its state has changed to ready.
      queueMicrotask(() => {
        if (!members().includes(member)) return;
        const condition = conditionNow(member);
        if (condition !== undefined) news.is(member.entry.id, condition);
        tellUnmatched(member);
      });
    },
    applied({ started, adjusted, stopped }) {
      stopped.forEach(news.forget);
      if (!hasBegun) return;
      for (const id of started) news.know(id, undefined);
      members()
        .filter(({ entry }) => adjusted.includes(entry.id))
        .forEach(tellUnmatched);
    },
    stop: news.stop,
  };
}

/**
 * The condition that the summary shows for a server that has not answered all its lists, or is still starting.
 * A server that failed in an earlier run counts as failed while it starts, so another failure is not reported. One that
 * is still starting for the first time does not.
 */
function shownInSummary(member: Member): Condition | undefined {
  const kind = shownState(member);
  if (kind === 'ready' || kind === 'degraded') return { kind };
  const { startFailure } = member.upstream;
  return startFailure === undefined || isStillStarting(startFailure) ? undefined : { kind: 'failed' };
}
