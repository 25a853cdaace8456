import type { ListKind } from '../../upstream/catalog/listing.ts';

/** What an application is told of. Resources and their templates are one thing to whoever uses them. */
export type ChangedKind = Exclude<ListKind, 'resourceTemplates'>;

/** Lists that came in, as news for the application. */
export interface ChangeBatcher {
  changed(kind: ListKind): void;
  /** Nothing is told from now on. */
  close(): void;
}

/** Lists that come in together are told of together. Nobody sees a list later for it: only the news waits. */
const BATCH_MS = 10;

/** `tell` is called once for each kind that changed within a moment, in the order of the changes; it must not throw. */
export function createChangeBatcher(notify: (kind: ChangedKind) => void): ChangeBatcher {
  const pending = new Set<ChangedKind>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const notifyAll = () => {
    timer = undefined;
    const kinds = [...pending];
    // Before anybody is told: what changes while they are is news again.
    pending.clear();
    // Whoever is told may close the host.
    for (const kind of kinds) if (!isClosed) notify(kind);
  };
  return {
    changed(kind) {
      if (isClosed) return;
      pending.add(kind === 'resourceTemplates' ? 'resources' : kind);
      timer ??= setTimeout(notifyAll, BATCH_MS);
    },
    close() {
      isClosed = true;
      clearTimeout(timer);
    },
  };
}
