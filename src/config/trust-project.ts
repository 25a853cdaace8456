import { realpathSync } from 'node:fs';
import { type ConfigFile, type FileEntry, readConfigFile } from './config-file.ts';
import { fingerprint } from './fingerprint.ts';
import { pathOf, type Surroundings } from './folders.ts';
import type { ConfigProblem, HttpSettings, Origin, StdioSettings } from './server-entry.ts';
import { findProjectSources, type Source } from './sources.ts';
import { checkAgainst } from './trust-check.ts';
import { changeTrustStore, readTrustStore, type TrustRecord, trustFile } from './trust-store.ts';

export interface TrustReport {
  readonly entries: readonly TrustedEntry[];
  /** What cannot be trusted, because it cannot be understood. */
  readonly problems: readonly ConfigProblem[];
}

export interface TrustedEntry {
  readonly id: string;
  readonly origin: Origin;
  /** As written, values of variables and headers included: whoever shows it leaves those out. */
  readonly transport: StdioSettings | HttpSettings | undefined;
  readonly isSwitchedOff: boolean;
  readonly wasTrusted: boolean;
}

export interface TrustOptions extends Surroundings {
  /** The folder of the project. */
  readonly dir: string;
}

/**
 * Trusts every entry, exactly as it is now, of the project files that a gateway started in `dir` would read.
 * What was trusted of these files before, and is not in them any more, is forgotten.
 */
export function trustProject(options: TrustOptions): TrustReport {
  const files = sourcesOf(options).flatMap((source) => readConfigFile(source) ?? []);
  const storeFile = trustFile(options);
  const stored = readTrustStore(storeFile);
  // A file that cannot be understood just now says nothing of what was trusted in it.
  const read = new Set(files.filter(({ dialect }) => dialect !== '').map(({ realPath }) => realPath));
  const hasEntries = files.some(({ entries }) => entries.some(({ content }) => content.kind !== 'broken'));
  if (stored !== undefined || hasEntries)
    changeTrustStore(storeFile, (store) => [
      ...store.records.filter(({ file }) => !read.has(file)),
      ...files.flatMap((file) => file.entries.flatMap((entry) => toRecord(store.key, file, entry))),
    ]);
  const wasTrusted = checkAgainst(stored);
  return {
    entries: files.flatMap((file) =>
      file.entries.flatMap((entry) => toTrusted(entry, { wasTrusted: wasTrusted(file, entry) })),
    ),
    problems: files.flatMap(faultsOf),
  };
}

/** Forgets all trust in the project files that a gateway started in `dir` would read, be they there or not. */
export function untrustProject(options: TrustOptions): { readonly forgotten: readonly TrustRecord[] } {
  const storeFile = trustFile(options);
  const store = readTrustStore(storeFile);
  if (store === undefined) return { forgotten: [] };
  const files = new Set(sourcesOf(options).map(({ file }) => realPathOf(file, options.platform)));
  const forgotten = store.records.filter(({ file }) => files.has(file));
  if (forgotten.length > 0) changeTrustStore(storeFile, (now) => now.records.filter(({ file }) => !files.has(file)));
  return { forgotten };
}

/** Trusts this one entry of a project file exactly as it is now, and no other. What was trusted of it before goes. */
export function trustEntry(source: Source, id: string, surroundings: Surroundings): void {
  const file = readConfigFile(source);
  const entry = file?.entries.find((candidate) => candidate.id === id);
  if (file === undefined || entry === undefined) return;
  changeTrustStore(trustFile(surroundings), (store) => {
    const others = store.records.filter((record) => record.file !== file.realPath || record.id !== id);
    return [...others, ...toRecord(store.key, file, entry)];
  });
}

/** Forgets the trust in one entry of a project file, which may be gone. */
export function forgetEntry(source: Source, id: string, surroundings: Surroundings): void {
  const storeFile = trustFile(surroundings);
  const path = realPathOf(source.file, surroundings.platform);
  if (readTrustStore(storeFile)?.records.some((record) => record.file === path && record.id === id) !== true) return;
  changeTrustStore(storeFile, ({ records }) => records.filter((record) => record.file !== path || record.id !== id));
}

function sourcesOf({ dir, ...surroundings }: TrustOptions): readonly Source[] {
  return findProjectSources({ ...surroundings, cwd: dir });
}

function toRecord(key: Buffer, file: ConfigFile, entry: FileEntry): readonly TrustRecord[] {
  const found = fingerprint(key, file, entry);
  return found === undefined ? [] : [{ file: file.realPath, id: entry.id, fingerprint: found }];
}

function toTrusted({ id, origin, content }: FileEntry, state: { wasTrusted: boolean }): readonly TrustedEntry[] {
  if (content.kind === 'broken') return [];
  return [{ id, origin, transport: content.transport, isSwitchedOff: content.kind === 'off', ...state }];
}

function faultsOf({ problems, entries }: ConfigFile): readonly ConfigProblem[] {
  return [...problems, ...entries.flatMap(({ content }) => (content.kind === 'broken' ? content.problem : []))];
}

/** Of a file that is gone: where it would be. */
function realPathOf(file: string, platform: NodeJS.Platform): string {
  const path = pathOf(platform);
  try {
    return realpathSync.native(file);
  } catch {
    // Not there, or not to be reached; the folder may still be known under another name.
    const folder = path.dirname(file);
    return folder === file ? file : path.join(realPathOf(folder, platform), path.basename(file));
  }
}
