import type { ResourceProvider } from './resource-provider.ts';

/** Who wants to hear of changes. */
export interface ResourceListener {
  /** The list of resources has changed. */
  resourcesChanged(): void;
  resourceUpdated(uri: string): void;
}

/**
 * Tells the listener of what has changed in one turn of the event loop, each URI once, until the returned function is
 * called. A provider may report every line of a log that grows; nobody wants to read it again for each.
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
