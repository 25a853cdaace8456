import { type FSWatcher, watch } from 'node:fs';
import { basename } from 'node:path';
import type { WatchTargets } from './watch-targets.ts';

export interface FolderWatcher {
  /** The first folder that could not be watched; the others are. */
  readonly failure: WatchFailure | undefined;
  close(): void;
}

export interface WatchFailure {
  readonly folder: string;
  readonly error: unknown;
}

export interface WatchCallbacks {
  /** Something happened at one of the places. After a `rename` they may lead elsewhere. */
  readonly onEvent: (kind: 'rename' | 'change') => void;
  /** A folder that was watched is watched no longer. */
  readonly onFailure: (failure: WatchFailure) => void;
}

/** Watches the folders of these places. Never keeps the process alive. */
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
  // The last is what the system calls the folder itself, when it goes.
  const wanted = new Set([...names, basename(folder)].map(fold));
  const watcher = watch(folder, { persistent: false }, (kind, name) => {
    // Most events in a home folder are none of ours, and end here. Some systems do not tell the name.
    if (name === null || wanted.has(fold(name))) onEvent(kind);
  });
  return watcher.on('error', (error) => onFailure({ folder, error }));
}

/** Some systems know a file under names that differ in case or composition; one event too many does no harm. */
function fold(name: string): string {
  return name.normalize('NFC').toLowerCase();
}
