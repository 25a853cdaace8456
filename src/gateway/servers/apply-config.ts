import { compareEntries } from '../../config/entry/compare-entries.ts';
import type { LoadedConfig, ServerEntry } from '../../config/server-entry.ts';
import { retire } from '../../upstream/lifecycle/drain-upstream.ts';
import type { Upstream } from '../../upstream/upstream.ts';
import type { Client } from '../client/client.ts';
import type { Member } from './gateway-server.ts';
import type { MemberFactory } from './server-factory.ts';
import type { Roster } from './server-registry.ts';

/** What a new config meant for the servers, by their ids. */
export interface ConfigChange {
  readonly started: readonly string[];
  readonly replaced: readonly string[];
  /** The same process under other settings. */
  readonly adjusted: readonly string[];
  readonly stopped: readonly string[];
}

export interface ApplyOptions {
  readonly roster: Roster;
  readonly factory: MemberFactory;
  readonly clients: ReadonlySet<Client>;
  /** It is started when it is called, once it is known. */
  readonly isLazy: (member: Member) => boolean;
  /** Servers run already, so that new ones are started at once. */
  readonly isStarted: () => boolean;
}

/**
 * Brings the servers into line with a config. What did not change is not touched. What changed is replaced: the new
 * instance takes every new call, while the old one finishes what it has. No call that was taken is lost.
 */
export function createApplyConfig({ roster, factory, clients, isLazy, isStarted }: ApplyOptions) {
  /** When the last instance of a server that is on its way out will be gone, by id. */
  const leaving = new Map<string, Promise<void>>();

  const leave = (upstream: Upstream, successor?: Upstream): Promise<void> => {
    const { id } = upstream;
    const retired = retire(upstream, successor);
    roster.leaving(upstream, retired);
    // One that was replaced before it began may leave before the one that it waited for.
    const allGone = Promise.all([leaving.get(id), retired]).then(() => {
      if (leaving.get(id) === allGone) leaving.delete(id);
    });
    leaving.set(id, allGone);
    return allGone;
  };

  const begin = (entry: ServerEntry): Member => {
    const member = factory.create(entry, entry.restart === 'stop-first' ? leaving.get(entry.id) : undefined);
    if (!isStarted()) return member;
    factory.recall(member);
    if (isLazy(member) && member.catalog.isKnown('tools')) member.upstream.rest();
    else member.upstream.start();
    return member;
  };

  const replace = (old: Member, entry: ServerEntry): Member => {
    let letGo: () => void = () => {};
    const gone = new Promise<void>((resolve) => {
      letGo = resolve;
    });
    const member = factory.create(entry, entry.restart === 'stop-first' ? gone : undefined);
    if (isStarted()) factory.recall(member);
    const isOwnKnown = member.catalog.isKnown('tools');
    // Until the new one has spoken, it is believed to offer what the old one did.
    member.catalog.borrow(old.catalog);
    moveSubscriptions(clients, old.upstream, member.upstream);
    if (isOwnKnown && isLazy(member) && old.upstream.state.kind === 'idle') member.upstream.rest();
    else if (isStarted()) member.upstream.start();
    void leave(old.upstream, member.upstream).then(letGo);
    return member;
  };

  return ({ servers }: LoadedConfig): ConfigChange => {
    const before = new Map(roster.members.map((member) => [member.entry.id, member]));
    const started: string[] = [];
    const replaced: string[] = [];
    const adjusted: string[] = [];
    const members: Member[] = [];
    for (const { verdict } of servers) {
      if (verdict.kind !== 'usable') continue;
      const { entry } = verdict;
      const old = before.get(entry.id);
      before.delete(entry.id);
      const difference = old === undefined ? 'new' : compareEntries(old.entry, entry);
      if (old === undefined) {
        started.push(entry.id);
        members.push(begin(entry));
      } else if (difference === 'server') {
        replaced.push(entry.id);
        members.push(replace(old, entry));
      } else {
        if (difference === 'settings') adjusted.push(entry.id);
        adjust(old, entry);
        members.push(old);
      }
    }
    roster.set(members);
    for (const { upstream } of before.values()) void leave(upstream);
    return { started, replaced, adjusted, stopped: [...before.keys()] };
  };
}

/** The same process under other settings. Pinned from now on, it is held to what it offers now. */
function adjust(member: Member, entry: ServerEntry): void {
  member.entry = entry;
  member.upstream.setLimits(entry);
  const { catalog, pin } = member;
  if (entry.pin && catalog.isListed('tools') && catalog.hasList('tools')) pin.listed(undefined, catalog.list('tools'));
}

/** The new instance is told of them when it is connected. */
function moveSubscriptions(clients: ReadonlySet<Client>, from: Upstream, to: Upstream): void {
  for (const { subscriptions } of clients) {
    for (const [used, { upstream, uri }] of subscriptions) {
      if (upstream === from) subscriptions.set(used, { upstream: to, uri });
    }
  }
}
