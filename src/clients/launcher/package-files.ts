import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { sha256 } from '../../base/digest.ts';
import { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';

/** A file of this package, or of a package that it needs. */
export interface PackageFile {
  readonly from: string;
  /** Below the folder of the copy. */
  readonly to: string;
}

/** Returns all files that the command line needs to run from another folder. Reads only what is already installed. */
export function listPackageFiles(root: string): readonly PackageFile[] {
  const own = [join(root, 'package.json'), ...filesBelow(join(root, 'dist', 'cli'))];
  const files = own.map((from) => ({ from, to: relative(root, from) }));
  return [...files, ...dependencyFiles({ root, into: '', placed: new Map() })];
}

/** Returns a digest of the files of a copy, which names its build. */
export function digestOfFiles(files: readonly PackageFile[], root?: string): string {
  const sorted = files.toSorted((one, other) => (one.to < other.to ? -1 : 1));
  const parts = sorted.flatMap(({ from, to }) => [`${to}\n`, readFileSync(root === undefined ? from : join(root, to))]);
  return sha256(...parts).slice(0, 12);
}

interface Placement {
  /** A package in its original folder. */
  readonly root: string;
  /** Its folder in the copy. */
  readonly into: string;
  /** The original folder of each package at the top of the copy. */
  readonly placed: Map<string, string>;
}

function dependencyFiles({ root, into, placed }: Placement): readonly PackageFile[] {
  return dependenciesOf(root).flatMap((name) => {
    const found = findPackage(name, root);
    const earlier = placed.get(name);
    if (earlier === found) return [];
    // Two versions of one package: the second belongs only to the package that needs it.
    const target = join(earlier === undefined ? '' : into, 'node_modules', name);
    if (earlier === undefined) placed.set(name, found);
    const files = filesBelow(found).map((from) => ({ from, to: join(target, relative(found, from)) }));
    return [...files, ...dependencyFiles({ root: found, into: target, placed })];
  });
}

function dependenciesOf(root: string): readonly string[] {
  const content: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const listed = isObject(content) ? content['dependencies'] : undefined;
  return isObject(listed) ? Object.keys(listed) : [];
}

/** Finds a package as Node does: in the `node_modules` of this folder or of one above it. */
function findPackage(name: string, from: string): string {
  for (let folder = from; ; folder = dirname(folder)) {
    const candidate = join(folder, 'node_modules', name);
    if (existsSync(join(candidate, 'package.json'))) return candidate;
    if (folder === dirname(folder)) break;
  }
  throw new AppError('INTERNAL', `The package ${name} is missing. Install Switchboard again.`);
}

/** Types and source maps are not needed at run time. */
const UNNEEDED = /\.(?:map|d\.[cm]?ts|md|markdown)$/i;

function filesBelow(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (name === 'node_modules' || UNNEEDED.test(name)) return [];
    return statSync(path).isDirectory() ? filesBelow(path) : [path];
  });
}
