import type { ConfigFile } from './files/config-file.ts';
import { nonEmptyVariable } from './files/folders.ts';
import { needsTrustCheck, readSourceFiles, type SourceOptions } from './files/source-files.ts';
import { mergeFiles } from './merge-files.ts';
import { selectServers } from './select-servers.ts';
import type { LoadedConfig } from './server-entry.ts';
import type { TrustCheck } from './trust/trust-check.ts';

export interface LoadOptions extends SourceOptions {
  /** Only these servers are wanted. */
  readonly only?: readonly string[];
  /** It is no fault that one of those is not there, any more. */
  readonly mayBeGone?: boolean;
}

/**
 * All servers that are configured, with what became of each, and everything that went wrong on the way.
 * Throws when the one file that somebody named cannot be used, and for an unknown name in `only`.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { files, states } = readSourceFiles(options);
  const trust = await loadTrust(files, options);
  const { servers, problems } = mergeFiles(files, trust.isTrusted);
  const config = { servers, problems: [...problems, ...trust.problems], files: states };
  return selectServers(config, requestedNames(options), options);
}

/** The store of trust, and the cryptography it needs, are loaded only when an entry asks for them. */
async function loadTrust(files: readonly ConfigFile[], options: LoadOptions): Promise<TrustCheck> {
  if (!needsTrustCheck(files, options.env)) return { isTrusted: () => true, problems: [] };
  const { openTrustCheck } = await import('./trust/trust-check.ts');
  return openTrustCheck(options);
}

function requestedNames({ only = [], env }: LoadOptions): readonly string[] {
  const name = nonEmptyVariable(env, 'MCP_WRAPPER_SERVER_NAME');
  return only.length > 0 || name === undefined ? only : [name];
}
