import { copyFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync, utimesSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { randomHex } from '../../base/digest.ts';
import { errnoOf } from '../../base/files/errno.ts';
import { withFileLock } from '../../base/files/file-lock.ts';
import { VERSION } from '../../base/version.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { dataFolder, type Environment } from '../../config/files/folders.ts';
import { digestOfFiles, listPackageFiles, type PackageFile } from './package-files.ts';

/** A copy of this package in the data folder. */
export interface AppCopy {
  /** `<version>-<build>`. */
  readonly name: string;
  readonly version: string;
}

export function appFolder(environment: Environment): string {
  return join(dataFolder(environment), 'app');
}

/** Returns the copy that the launcher runs; undefined if there is none. */
export function readCurrentCopy(environment: Environment): AppCopy | undefined {
  const folder = appFolder(environment);
  const pointer = join(folder, POINTER);
  if (!existsSync(pointer)) return undefined;
  const name = readFileSync(pointer, 'utf8').trim();
  const version = name.replace(/-[0-9a-f]+$/, '');
  return NAME.test(name) && existsSync(join(folder, name, MAIN)) ? { name, version } : undefined;
}

/** The file that names the current copy. */
const POINTER = 'current';
const MAIN = join('dist', 'cli', 'main.js');
const NAME = /^[\w.+-]+$/;

/** Copies the package at `root` into the data folder, unless it is already there, without any download. */
export function copyPackage(root: string, environment: Environment): AppCopy {
  const files = listPackageFiles(root);
  const name = `${VERSION}-${digestOfFiles(files)}`;
  const folder = join(appFolder(environment), name);
  const isPlaced = () => isComplete(folder, { files, name });
  if (!isPlaced()) placeCopy(folder, { files, isPlaced });
  return { name, version: VERSION };
}

/** Lets the launcher run this copy. Atomic: a client that starts now gets the old copy or the new one. */
export function selectCopy({ name }: AppCopy, environment: Environment): void {
  const folder = appFolder(environment);
  const before = readCurrentCopy(environment);
  // Marks the time at which it was replaced.
  if (before !== undefined && before.name !== name) utimesSync(join(folder, before.name), new Date(), new Date());
  writeFileAtomic(join(folder, POINTER), `${name}\n`, { isDurable: true });
}

function isComplete(
  folder: string,
  { files, name }: { readonly files: readonly PackageFile[]; readonly name: string },
): boolean {
  try {
    return name === `${VERSION}-${digestOfFiles(files, folder)}`;
  } catch (error) {
    // The copy does not exist, or lacks a file.
    if (errnoOf(error) === undefined) throw error;
    return false;
  }
}

/** Copies to a temporary folder first, so that a copy is complete or absent. */
function placeCopy(
  folder: string,
  { files, isPlaced }: { readonly files: readonly PackageFile[]; readonly isPlaced: () => boolean },
): void {
  const temporary = `${folder}.${randomHex(6)}.tmp`;
  try {
    for (const { from, to } of files) {
      mkdirSync(dirname(join(temporary, to)), { recursive: true, mode: 0o700 });
      copyFileSync(from, join(temporary, to));
    }
    withFileLock(folder, () => {
      // Another process may have been faster. What is there otherwise is an incomplete copy.
      if (isPlaced()) return;
      rmSync(folder, { recursive: true, force: true });
      renameSync(temporary, folder);
    });
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}
