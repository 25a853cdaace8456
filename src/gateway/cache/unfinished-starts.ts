import type { FailureCache } from '../../upstream/catalog-cache/failure-cache.ts';
import type { Member } from '../servers/gateway-server.ts';

/**
 * Records on disk which servers are still starting while a client waits for its list. Codex, for example, kills the
 * gateway a moment after asking it to stop. Without this record, the next gateway would wait for the same servers again.
 */
export interface UnfinishedStarts {
  /** Records this server if it is still starting after a while. */
  watch(member: Member): void;
  /** The server has listed its tools: removes its record. */
  finished(member: Member): void;
  /** No client is waiting any more. Existing records stay. */
  stop(): void;
}

export interface UnfinishedStartsOptions {
  readonly cache: FailureCache;
  readonly keyOf: (member: Member) => string | undefined;
  /** Whether the server was launched and has neither failed nor listed its tools. */
  readonly isStarting: (member: Member) => boolean;
}

/** Most servers start faster than this, so no file is written for them. */
const LOOK_EVERY_MS = 1_000;

export function createUnfinishedStarts({ cache, keyOf, isStarting }: UnfinishedStartsOptions): UnfinishedStarts {
  const watched = new Set<Member>();
  const recorded = new Map<Member, string>();
  let timer: NodeJS.Timeout | undefined;

  const look = () => {
    for (const member of watched) {
      if (!isStarting(member)) continue;
      watched.delete(member);
      const key = keyOf(member);
      if (key === undefined) continue;
      recorded.set(member, key);
      cache.write(member.entry.id, key, {
        code: 'TIMED_OUT',
        message: 'it had not listed its tools when the client left',
      });
    }
  };

  return {
    watch(member) {
      watched.add(member);
      timer ??= setInterval(look, LOOK_EVERY_MS).unref();
    },
    finished(member) {
      watched.delete(member);
      const key = recorded.get(member);
      if (key === undefined) return;
      recorded.delete(member);
      cache.remove(member.entry.id, key);
    },
    stop() {
      clearInterval(timer);
      watched.clear();
    },
  };
}
