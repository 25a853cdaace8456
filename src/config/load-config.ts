import type { ConfigFile } from './files/config-file.ts';
import { nonEmptyVariable } from './files/folders.ts';
import { needsTrustCheck, readSourceFiles, type SourceOptions } from './files/source-files.ts';
import { mergeFiles } from './merge-files.ts';
import { selectServers } from './select-servers.ts';
import type { LoadedConfig } from './server-entry.ts';
import type { TrustCheck } from './trust/trust-check.ts';

export interface LoadOptions extends SourceOptions {
  /** The only servers to load. */
  readonly only?: readonly string[];
  /** Whether a name in `only` may belong to a server that no longer exists. */
  readonly mayBeGone?: boolean;
}

/**
 * Loads all configured servers with their verdicts, and all problems. Throws if an explicitly named file cannot be
 * used, and for an unknown name in `only`.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const { files, states } = readSourceFiles(options);
  const trust = await loadTrust(files, options);
  const { servers, problems } = mergeFiles(files, trust.isTrusted);
  const config = { servers, problems: [...problems, ...trust.problems], files: states };
  return selectServers(config, requestedNames(options), options);
}

/** Loads the trust store and the cryptography that it needs, but only if an entry needs trust. */
async function loadTrust(files: readonly ConfigFile[], options: LoadOptions): Promise<TrustCheck> {
  if (!needsTrustCheck(files, options.env)) return { isTrusted: () => true, problems: [] };
  const { openTrustCheck } = await import('./trust/trust-check.ts');
  return openTrustCheck(options);
}

function requestedNames({ only = [], env }: LoadOptions): readonly string[] {
  const name = nonEmptyVariable(env, 'MCP_WRAPPER_SERVER_NAME');
  return only.length > 0 || name === undefined ? only : [name];
}
