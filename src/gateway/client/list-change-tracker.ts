/** Tracks which list versions a client has read, so that it is notified once when one becomes stale. */
export interface ListChangeTracker {
  /** From now on, notifies of every change, whether or not the client has read the list: it may have many readers. */
  followAll(): void;
  hasRead(kind: string): boolean;
  /** Records that the client has read lists in an earlier process, so that it is notified as soon as they are known. */
  recordEarlierReads(kinds: readonly string[]): void;
  /** Records that the client has read this version. */
  recordRead(kind: string, version: number): void;
  /**
   * Notifies the client after a short delay if the list has changed, then not again until the client has read the list.
   */
  listChanged(kind: string, version: () => number, notify: () => void): void;
}

/** Differs from every version of this process. */
const VERSION_OF_EARLIER_PROCESS = -1;
/** Servers that become ready in quick succession cause one notification. */
const DEBOUNCE_MS = 50;

export function createListChangeTracker(): ListChangeTracker {
  const readVersions = new Map<string, number>();
  const notifiedVersions = new Map<string, number>();
  const scheduled = new Set<string>();
  const everRead = new Set<string>();
  let followsAll = false;
  return {
    followAll() {
      followsAll = true;
    },
    hasRead: (kind) => everRead.has(kind),
    recordEarlierReads(kinds) {
      for (const kind of kinds) {
        everRead.add(kind);
        readVersions.set(kind, VERSION_OF_EARLIER_PROCESS);
      }
    },
    recordRead(kind, version) {
      everRead.add(kind);
      readVersions.set(kind, version);
    },
    listChanged(kind, version, notify) {
      if ((!followsAll && !readVersions.has(kind)) || scheduled.has(kind)) return;
      scheduled.add(kind);
      setTimeout(() => {
        scheduled.delete(kind);
        const current = version();
        if (current === (followsAll ? notifiedVersions : readVersions).get(kind)) return;
        notifiedVersions.set(kind, current);
        readVersions.delete(kind);
        notify();
      }, DEBOUNCE_MS).unref();
    },
  };
}
