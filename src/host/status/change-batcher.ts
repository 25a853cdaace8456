import type { ListKind } from '../../upstream/catalog/listing.ts';

/** List kinds that the application is notified of. Resources and their templates count as one. */
export type ChangedKind = Exclude<ListKind, 'resourceTemplates'>;

/** Batches list changes into notifications of the application. */
export interface ChangeBatcher {
  changed(kind: ListKind): void;
  /** Stops all notifications. */
  close(): void;
}

/** Lists that arrive together cause one notification. The lists themselves are not delayed. */
const BATCH_MS = 10;

/** Calls `notify` once for each kind that changed within a batch, in order of the changes; `notify` must not throw. */
export function createChangeBatcher(notify: (kind: ChangedKind) => void): ChangeBatcher {
  const pending = new Set<ChangedKind>();
  let timer: NodeJS.Timeout | undefined;
  let isClosed = false;
  const notifyAll = () => {
    timer = undefined;
    const kinds = [...pending];
    // Cleared first: a change during the notification counts as a new one.
    pending.clear();
    // A callback may close the host.
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
