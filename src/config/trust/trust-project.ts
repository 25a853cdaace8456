import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { readConfigFile } from '../files/config-file.ts';
import type { Environment } from '../files/folders.ts';
import { realPathOf } from '../files/real-path.ts';
import { findProjectSources, projectFolder, type Source } from '../files/sources.ts';
import { isSameFile, type TrustedFile, toRecord } from './trust-record.ts';
import type { TrustOptions } from './trust-review.ts';
import { changeTrustStore, readTrustStore, type TrustRecord, trustFile } from './trust-store.ts';

/** Forgets all trust in the project files that a gateway started in `dir` would read, whether or not they exist. */
export function untrustProject({ dir, ...environment }: TrustOptions): { readonly forgotten: readonly TrustRecord[] } {
  const storeFile = trustFile(environment);
  const store = readTrustStore(storeFile);
  if (store === undefined) return { forgotten: [] };
  // If `dir` does not exist, or is no folder name at all, the projects around it are not meant.
  const isSelected = ({ file }: Source) => existsSync(dir) || file.startsWith(join(dir, sep));
  const sources = findProjectSources({ ...environment, cwd: dir }).filter(isSelected);
  const files = sources.map((source) => toTrustedFile(source, environment));
  const isOfProject = (record: TrustRecord) => files.some((file) => isSameFile(file, record));
  const forgotten = store.records.filter(isOfProject);
  if (forgotten.length > 0)
    changeTrustStore(storeFile, ({ records }) => records.filter((record) => !isOfProject(record)));
  return { forgotten };
}

/** An entry as the caller has just written or read it. */
export interface SeenEntry {
  readonly id: string;
  /** The JSON value under its id in the file. */
  readonly written: unknown;
}

/**
 * Trusts this one entry of a project file, and no other. Replaces earlier trust in it. Returns false and trusts nothing
 * if the file no longer has this entry: another process may have changed it.
 */
export function trustEntry(source: Source, { id, written }: SeenEntry, environment: Environment): boolean {
  const file = readConfigFile(source);
  const entry = file?.entries.find((candidate) => candidate.id === id);
  const [found, ...more] = file?.servers.filter((server) => server.id === id) ?? [];
  if (file === undefined || entry === undefined || found === undefined || more.length > 0) return false;
  if (!isDeepStrictEqual(toPlainJson(found.value.content), toPlainJson(written))) return false;
  const trustedFile = toTrustedFile(source, environment);
  changeTrustStore(trustFile(environment), (store) => {
    const others = store.records.filter((record) => !isSameFile(trustedFile, record) || record.id !== id);
    return [...others, ...toRecord(store.key, file, entry)];
  });
  return true;
}

/** Converts a value to plain JSON: without undefined members and without custom prototypes. */
function toPlainJson(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

/** Forgets the trust in one entry of a project file, which may no longer exist. */
export function forgetEntry(source: Source, id: string, environment: Environment): void {
  const storeFile = trustFile(environment);
  const trustedFile = toTrustedFile(source, environment);
  const isSelected = (record: TrustRecord) => isSameFile(trustedFile, record) && record.id === id;
  if (readTrustStore(storeFile)?.records.some(isSelected) !== true) return;
  changeTrustStore(storeFile, ({ records }) => records.filter((record) => !isSelected(record)));
}

/** Returns the identity of a source. For a file that does not exist, uses the path where it would be. */
function toTrustedFile(source: Source, { platform }: Environment): TrustedFile {
  const file = realPathOf(source.file, platform);
  return file === source.file ? { file } : { file, folder: projectFolder(source) };
}
