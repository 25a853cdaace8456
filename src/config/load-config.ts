import type { ConfigFile, SkippedEntry } from './files/config-file.ts';
import { nonEmptyVariable } from './files/folders.ts';
import { needsTrustCheck, readSourceFiles, type SourceOptions } from './files/source-files.ts';
import { findSources, type Source } from './files/sources.ts';
import { translateSources } from './foreign/translate-sources.ts';
import { type MergedFiles, mergeFiles } from './merge-files.ts';
import { selectServers } from './select-servers.ts';
import type { LoadedConfig } from './server-entry.ts';
import type { TrustCheck } from './trust/trust-check.ts';
import { mergeViews } from './views/merge-views.ts';
import type { ConfiguredViews } from './views/view.ts';

export interface LoadOptions extends SourceOptions {
  /** The only servers to load. */
  readonly only?: readonly string[];
  /** Whether a name in `only` may belong to a server that no longer exists. */
  readonly mayBeGone?: boolean;
  /** Adds the views of connected clients to the config. */
  readonly clientViews?: ClientViews;
}

/** The record of the servers that connected clients see. */
export interface ClientViews {
  readonly file: string;
  /** Returns the visible ids of each client that sees only some servers. Ids without a server have no effect. */
  read(): ReadonlyMap<string, readonly string[]>;
}

/**
 * Loads all configured servers with their verdicts, and all problems. Throws if an explicitly named file cannot be
 * used, and for an unknown name in `only`.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  // Without the entries of the files, which would stay in memory for as long as the config.
  const { servers, problems, files, views } = await loadDefinitions(options);
  const clients = options.clientViews?.read() ?? views.clients;
  const hasViews = views.named.size > 0 || clients.size > 0;
  const config = { servers, problems, files, ...(hasViews ? { views: { named: views.named, clients } } : {}) };
  return selectServers(config, requestedNames(options), options);
}

/** The server definitions of all files. */
export interface Definitions extends LoadedConfig, MergedFiles {
  readonly views: ConfiguredViews;
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
  const isComplete = states.every(({ state }) => state !== 'broken');
  const named = mergeViews(files, {
    isTrusted: trust.isTrustedView,
    serverIds: isComplete ? merged.servers.map(({ id }) => id) : undefined,
  });
  return {
    ...merged,
    skipped: files.flatMap(({ skipped }) => skipped),
    views: { named, clients: new Map() },
    problems: [...merged.problems, ...[...named.values()].flatMap(({ problems }) => problems), ...trust.problems],
    files: states,
  };
}

/** Loads the trust store and the cryptography that it needs, but only if an entry needs trust. */
async function loadTrust(files: readonly ConfigFile[], options: SourceOptions): Promise<TrustCheck> {
  if (!needsTrustCheck(files, options.env)) return { isTrusted: () => true, isTrustedView: () => true, problems: [] };
  const { openTrustCheck } = await import('./trust/trust-check.ts');
  return openTrustCheck(options);
}

function requestedNames({ only = [], env }: LoadOptions): readonly string[] {
  const name = nonEmptyVariable(env, 'MCP_WRAPPER_SERVER_NAME');
  return only.length > 0 || name === undefined ? only : [name];
}
