import type { ResourceProvider } from './resource-provider.ts';

/** Receives resource changes. */
export interface ResourceListener {
  /** Called when the list of resources has changed. */
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/**
 * Notifies the listener of all changes in one turn of the event loop, each URI once, until the returned function is
 * called. A provider may report every line of a growing log, and clients must not re-read it for each line.
 */
export function watchResources(provider: ResourceProvider, listener: ResourceListener): () => void {
  let uris = new Set<string>();
  let listChanged = false;
  let scheduled: NodeJS.Immediate | undefined;

  const notify = () => {
    const updated = uris;
    const isNewList = listChanged;
    uris = new Set();
    listChanged = false;
    scheduled = undefined;
    if (isNewList) listener.resourcesChanged();
    for (const uri of updated) listener.resourceUpdated(uri);
  };

  const stop = provider.onChange((uri) => {
    if (uri === undefined) listChanged = true;
    else uris.add(uri);
    scheduled ??= setImmediate(notify);
  });
  return () => {
    stop();
    clearImmediate(scheduled);
  };
}
