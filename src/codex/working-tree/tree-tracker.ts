import { relative, sep } from 'node:path';
import { messageOf } from '../../base/errors.ts';
import { type Compared, compare, type TreeChanges } from './compare.ts';
import { createSnapshots, type Snapshot, type SnapshotOptions } from './snapshot.ts';

/** A snapshot of a folder, with which its later state is compared. */
export interface FollowedTree {
  /** Later calls of `changes` return the changes up to now. `paths` are the paths that they will ask about. */
  freeze(paths?: readonly string[]): void;
  /** Never throws. If the comparison fails, the note says why. */
  changes(paths: readonly string[]): Promise<TreeChanges>;
}

export interface TreeFollower {
  /** Never throws. */
  follow(folder: string): Promise<FollowedTree>;
  close(): Promise<void>;
}

export function createTreeFollower(options: SnapshotOptions): TreeFollower {
  const snapshots = createSnapshots(options);
  return {
    async follow(folder) {
      try {
        return createFollowed(await snapshots.take(folder));
      } catch (error) {
        return unfollowed(`The changes made by shell commands are unknown: ${messageOf(error)}.`);
      }
    },
    close: () => snapshots.close(),
  };
}

function createFollowed({ tree, newIndex, release }: Snapshot): FollowedTree {
  let frozen: Promise<Compared> | undefined;
  const now = (paths: readonly string[]): Promise<Compared> =>
    compare(tree, { index: newIndex(), paths }).catch((error) => ({
      ...NOTHING_KNOWN,
      isIgnored: () => true,
      note: `The changes made by shell commands are unknown: ${messageOf(error)}.`,
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

const NOTHING_KNOWN = { diff: '', files: [] };

function unfollowed(note: string): FollowedTree {
  return { freeze() {}, changes: async (paths) => ({ ...NOTHING_KNOWN, unknown: paths, note }) };
}

function isOutside(folder: string, path: string): boolean {
  const inside = relative(folder, path);
  return inside === '..' || inside.startsWith(`..${sep}`);
}
