import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import type { WatchTargets } from './watch-targets.ts';

export interface FolderWatcher {
  /** The first folder that could not be watched; the others are watched. */
  readonly failure: WatchFailure | undefined;
  close(): void;
}

export interface WatchFailure {
  readonly folder: string;
  readonly error: unknown;
}

export interface WatchCallbacks {
  /** Called for an event at one of the targets. After a `rename`, their paths may lead elsewhere. */
  readonly onEvent: (kind: 'rename' | 'change') => void;
  /** Called when a folder is no longer watched. */
  readonly onFailure: (failure: WatchFailure) => void;
}

/** Watches the folders of these targets. Never keeps the process alive. */
export function watchFolders(targets: WatchTargets, callbacks: WatchCallbacks): FolderWatcher {
  const watchers: FSWatcher[] = [];
  let failure: WatchFailure | undefined;
  for (const [folder, names] of targets) {
    try {
      watchers.push(watchFolder(folder, names, callbacks));
    } catch (error) {
      failure ??= { folder, error };
    }
  }
  return {
    failure,
    close: () => {
      for (const watcher of watchers.splice(0)) watcher.close();
    },
  };
}

function watchFolder(folder: string, names: ReadonlySet<string>, { onEvent, onFailure }: WatchCallbacks): FSWatcher {
  // `basename(folder)` is the name that the system reports when the folder itself is removed.
  const wanted = new Set([...names, basename(folder)].map(fold));
  const watcher = watch(folder, { persistent: false }, (kind, name) => {
    // Most events in a home folder are unrelated, and end here. Some systems do not report the name.
    if (name === null || wanted.has(fold(name))) onEvent(kind);
  });
  return watcher.on('error', (error) => onFailure({ folder, error }));
}

/** Normalizes a name: some systems ignore differences in case or composition. One event too many does no harm. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
