/** Receives the changes of what a server offers. */
export interface ChangeListener {
  toolsChanged(): void;
  promptsChanged(): void;
  /** Called when the list of resources or of their templates has changed. */
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/** Collects the changes of a server and passes them to all its connections. */
export interface Changes extends ChangeListener {
  /** Returns a function that stops the notifications. */
  listen(listener: ChangeListener): () => void;
}

/**
 * Notifies listeners once of all changes in one turn of the event loop, each list and URI once, the lists first. A
 * server may report every line of a growing log, and clients must not read it again for each line.
 */
export function createChanges(): Changes {
  const listeners = new Set<ChangeListener>();
  let lists = new Set<ListChange>();
  let uris = new Set<string>();
  let scheduled = false;

  const schedule = () => {
    if (scheduled || listeners.size === 0) return;
    scheduled = true;
    setImmediate(notify);
  };

  const notify = () => {
    const changedLists = LISTS.filter((list) => lists.has(list));
    const updated = uris;
    lists = new Set();
    uris = new Set();
    scheduled = false;
    for (const listener of listeners) {
      for (const list of changedLists) listener[list]();
      for (const uri of updated) listener.resourceUpdated(uri);
    }
  };

  const changed = (list: ListChange) => {
    if (listeners.size > 0) lists.add(list);
    schedule();
  };

  return {
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    toolsChanged: () => changed('toolsChanged'),
    promptsChanged: () => changed('promptsChanged'),
    resourcesChanged: () => changed('resourcesChanged'),
    resourceUpdated(uri) {
      if (listeners.size > 0) uris.add(uri);
      schedule();
    },
  };
}

type ListChange = Exclude<keyof ChangeListener, 'resourceUpdated'>;

const LISTS: readonly ListChange[] = ['toolsChanged', 'promptsChanged', 'resourcesChanged'];
