import { existsSync } from 'node:fs';
import { join, sep } from 'node:path';
import { readConfigFile } from './config-file.ts';
import type { Surroundings } from './folders.ts';
import { realPathOf } from './real-path.ts';
import { findProjectSources, projectFolder, type Source } from './sources.ts';
import { isSameFile, type TrustedFile, toRecord } from './trust-record.ts';
import type { TrustOptions } from './trust-review.ts';
import { changeTrustStore, readTrustStore, type TrustRecord, trustFile } from './trust-store.ts';

/** Forgets all trust in the project files that a gateway started in `dir` would read, be they there or not. */
export function untrustProject({ dir, ...surroundings }: TrustOptions): { readonly forgotten: readonly TrustRecord[] } {
  const storeFile = trustFile(surroundings);
  const store = readTrustStore(storeFile);
  if (store === undefined) return { forgotten: [] };
  // Of a folder that is gone, or a word that never named one, the projects around it are not meant.
  const isMeant = ({ file }: Source) => existsSync(dir) || file.startsWith(join(dir, sep));
  const sources = findProjectSources({ ...surroundings, cwd: dir }).filter(isMeant);
  const files = sources.map((source) => toTrustedFile(source, surroundings));
  const isOfProject = (record: TrustRecord) => files.some((file) => isSameFile(file, record));
  const forgotten = store.records.filter(isOfProject);
  if (forgotten.length > 0)
    changeTrustStore(storeFile, ({ records }) => records.filter((record) => !isOfProject(record)));
  return { forgotten };
}

/** Trusts this one entry of a project file exactly as it is now, and no other. What was trusted of it before goes. */
export function trustEntry(source: Source, id: string, surroundings: Surroundings): void {
  const file = readConfigFile(source);
  const entry = file?.entries.find((candidate) => candidate.id === id);
  if (file === undefined || entry === undefined) return;
  const place = toTrustedFile(source, surroundings);
  changeTrustStore(trustFile(surroundings), (store) => {
    const others = store.records.filter((record) => !isSameFile(place, record) || record.id !== id);
    return [...others, ...toRecord(store.key, file, entry)];
  });
}

/** Forgets the trust in one entry of a project file, which may be gone. */
export function forgetEntry(source: Source, id: string, surroundings: Surroundings): void {
  const storeFile = trustFile(surroundings);
  const place = toTrustedFile(source, surroundings);
  const isMeant = (record: TrustRecord) => isSameFile(place, record) && record.id === id;
  if (readTrustStore(storeFile)?.records.some(isMeant) !== true) return;
  changeTrustStore(storeFile, ({ records }) => records.filter((record) => !isMeant(record)));
}

/** Of a file that is gone: where it would be. */
function toTrustedFile(source: Source, { platform }: Surroundings): TrustedFile {
  const file = realPathOf(source.file, platform);
  return file === source.file ? { file } : { file, folder: projectFolder(source) };
}
