/** The lists that a client has read, so that it is told once when one of them is no longer true. */
export interface ListChangeTracker {
  hasRead(kind: string): boolean;
  /** It has read this version. */
  recordRead(kind: string, version: number): void;
  /** The list may have changed: the client is told a little later, and again only after it has read the list again. */
  listChanged(kind: string, version: () => number, notify: () => void): void;
}

/** Several servers that become ready one after the other are one change. */
const DEBOUNCE_MS = 50;

export function createListChangeTracker(): ListChangeTracker {
  const readVersions = new Map<string, number>();
  const scheduled = new Set<string>();
  const everRead = new Set<string>();
  return {
    hasRead: (kind) => everRead.has(kind),
    recordRead(kind, version) {
      everRead.add(kind);
      readVersions.set(kind, version);
    },
    listChanged(kind, version, notify) {
      if (!readVersions.has(kind) || scheduled.has(kind)) return;
      scheduled.add(kind);
      setTimeout(() => {
        scheduled.delete(kind);
        if (version() === readVersions.get(kind)) return;
        readVersions.delete(kind);
        notify();
      }, DEBOUNCE_MS).unref();
    },
  };
}
