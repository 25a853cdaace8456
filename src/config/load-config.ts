import type { ConfigFile, SkippedEntry } from './files/config-file.ts';
import { nonEmptyVariable } from './files/folders.ts';
import { needsTrustCheck, readSourceFiles, type SourceOptions } from './files/source-files.ts';
import { findSources, type Source } from './files/sources.ts';
import { translateSources } from './foreign/translate-sources.ts';
import { type MergedFiles, mergeFiles } from './merge-files.ts';
import { selectServers } from './select-servers.ts';
import type { LoadedConfig } from './server-entry.ts';
import type { TrustCheck } from './trust/trust-check.ts';

export interface LoadOptions extends SourceOptions {
  /** The only servers to load. */
  readonly only?: readonly string[];
  /** Whether a name in `only` may belong to a server that no longer exists. */
  readonly mayBeGone?: boolean;
  /** Limits the servers to those that one client sees. */
  readonly view?: ServerView;
}

/** The servers that one client sees. */
export interface ServerView {
  /** The file that decides. */
  readonly file: string;
  /** Returns the visible ids, or undefined for all servers. Ids without a server have no effect. */
  visibleIds(): readonly string[] | undefined;
}

/**
 * Loads all configured servers with their verdicts, and all problems. Throws if an explicitly named file cannot be
 * used, and for an unknown name in `only`.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  // Without the entries of the files, which would stay in memory for as long as the config.
  const { servers, problems, files } = await loadDefinitions(options);
  const visible = options.view?.visibleIds();
  const selected = selectServers({ servers, problems, files }, requestedNames(options), options);
  if (visible === undefined) return selected;
  return { ...selected, servers: selected.servers.filter(({ id }) => visible.includes(id)) };
}

/** The server definitions of all files. */
export interface Definitions extends LoadedConfig, MergedFiles {
  /** Entries without a usable id. They are not in `servers`. */
  readonly skipped: readonly SkippedEntry[];
}

/** Loads every entry of all files, or of these sources. Throws if an explicitly named file cannot be used. */
export async function loadDefinitions(options: SourceOptions, sources?: readonly Source[]): Promise<Definitions> {
  const found = sources ?? findSources(options, options.explicitFiles, options.explicitBy);
  const isExplicit = found.some(({ layer }) => layer === 'explicit');
  const translated = isExplicit ? { translated: await translateSources(found, options) } : {};
  const { files, states } = readSourceFiles({ ...options, ...translated }, found);
  const trust = await loadTrust(files, options);
  const merged = mergeFiles(files, trust.isTrusted);
  return {
    ...merged,
    skipped: files.flatMap(({ skipped }) => skipped),
    problems: [...merged.problems, ...trust.problems],
    files: states,
  };
}

/** Loads the trust store and the cryptography that it needs, but only if an entry needs trust. */
async function loadTrust(files: readonly ConfigFile[], options: SourceOptions): Promise<TrustCheck> {
  if (!needsTrustCheck(files, options.env)) return { isTrusted: () => true, problems: [] };
  const { openTrustCheck } = await import('./trust/trust-check.ts');
  return openTrustCheck(options);
}

function requestedNames({ only = [], env }: LoadOptions): readonly string[] {
  const name = nonEmptyVariable(env, 'MCP_WRAPPER_SERVER_NAME');
  return only.length > 0 || name === undefined ? only : [name];
}
