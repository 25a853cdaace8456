import type { Member } from './gateway-server.ts';

/**
 * When each server is started. One that nobody knows yet is started at once, because the client waits for its list. One
 * that is known from before can wait until the client has its first list, which it gets the sooner for that; a lazy one
 * waits until it is called. One that failed the last time is not waited for, and is started with those that are known.
 */
export interface LaunchOrder {
  /** The client has said hello. */
  begin(members: readonly Member[]): void;
  /** The client has its list. */
  listAnswered(): void;
}

/** A client that does not ask for a list is not waited for longer than this. */
const LIST_WITHIN_MS = 100;

export function createLaunchOrder(isLazy: (member: Member) => boolean): LaunchOrder {
  let later: Member[] = [];

  const start = (members: readonly Member[]) => {
    // The client's answer leaves first.
    setImmediate(() => {
      for (const { upstream } of members) upstream.start();
    });
  };

  const startLater = () => {
    if (later.length === 0) return;
    start(later);
    later = [];
  };

  return {
    begin(members) {
      const isKnown = ({ catalog }: Member) => catalog.isKnown('tools');
      const resting = members.filter((member) => isKnown(member) && isLazy(member));
      for (const { upstream } of resting) upstream.rest();
      const isAwaited = (member: Member) => !isKnown(member) && member.upstream.startFailure === undefined;
      start(members.filter(isAwaited));
      later.push(...members.filter((member) => !isAwaited(member) && !resting.includes(member)));
      setTimeout(startLater, LIST_WITHIN_MS).unref();
    },
    listAnswered: startLater,
  };
}
