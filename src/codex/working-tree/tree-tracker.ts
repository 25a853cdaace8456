import { relative, sep } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { type Compared, compare, type TreeChanges } from './compare.ts';
import { createSnapshots, type Snapshot, type SnapshotOptions } from './snapshot.ts';

/** A snapshot of a folder, with which its later state is compared. */
export interface TrackedTree {
  /** Makes later calls of `changes` return the changes up to now. `paths` are the paths that those calls will pass. */
  freeze(paths?: readonly string[]): void;
  /** Never throws. If the comparison fails, the note says why. */
  changes(paths: readonly string[]): Promise<TreeChanges>;
}

export interface TreeTracker {
  /** Never throws. */
  track(folder: string): Promise<TrackedTree>;
  close(): Promise<void>;
}

export function createTreeTracker(options: SnapshotOptions): TreeTracker {
  const snapshots = createSnapshots(options);
  return {
    async track(folder) {
      try {
        return createTracked(await snapshots.take(folder));
      } catch (error) {
        return untracked(`Changes made by shell commands are unknown: ${messageOf(error)}.`);
      }
    },
    close: () => snapshots.close(),
  };
}

function createTracked({ tree, newIndex, release }: Snapshot): TrackedTree {
  let frozen: Promise<Compared> | undefined;
  const now = (paths: readonly string[]): Promise<Compared> =>
    compare(tree, { index: newIndex(), paths }).catch((error) => ({
      ...NO_CHANGES,
      isIgnored: () => true,
      note: `Changes made by shell commands are unknown: ${messageOf(error)}.`,
    }));
  return {
    freeze(paths = []) {
      frozen ??= now(paths).finally(release);
    },
    async changes(paths) {
      const { isIgnored, ...changes } = await (frozen ?? now(paths));
      const known = new Set(changes.files.map(({ path }) => path));
      const unknown = paths.filter(
        (path) => !known.has(path) && (isOutside(tree.folder, path) || changes.note !== undefined || isIgnored(path)),
      );
      return { ...changes, unknown };
    },
  };
}

const NO_CHANGES = { diff: '', files: [] };

function untracked(note: string): TrackedTree {
  return { freeze() {}, changes: async (paths) => ({ ...NO_CHANGES, unknown: paths, note }) };
}

function isOutside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside === '..' || inside.startsWith(`..${sep}`);
}
