/** The lists that a client has read, so that it is told once when one of them is no longer true. */
export interface SeenLists {
  hasRead(kind: string): boolean;
  /** It has read this version. */
  read(kind: string, version: number): void;
  /** The list may have changed: the client is told a little later, and again only after it has read the list again. */
  changed(kind: string, version: () => number, tell: () => void): void;
}

/** Several servers that become ready one after the other are one change. */
const CHANGES_TOGETHER_MS = 50;

export function createSeenLists(): SeenLists {
  const seen = new Map<string, number>();
  const waiting = new Set<string>();
  const everRead = new Set<string>();
  return {
    hasRead: (kind) => everRead.has(kind),
    read(kind, version) {
      everRead.add(kind);
      seen.set(kind, version);
    },
    changed(kind, version, tell) {
      if (!seen.has(kind) || waiting.has(kind)) return;
      waiting.add(kind);
      setTimeout(() => {
        waiting.delete(kind);
        if (version() === seen.get(kind)) return;
        seen.delete(kind);
        tell();
      }, CHANGES_TOGETHER_MS).unref();
    },
  };
}
