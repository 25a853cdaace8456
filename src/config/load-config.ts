import { type ConfigFile, readConfigFile } from './config-file.ts';
import { filledVariable, type Surroundings } from './folders.ts';
import { mergeFiles } from './merge.ts';
import { toError } from './problem.ts';
import { selectServers } from './select.ts';
import type { LoadedConfig } from './server-entry.ts';
import { findSources, type Source } from './sources.ts';
import type { TrustCheck } from './trust-check.ts';

export interface LoadOptions extends Surroundings {
  /** This file alone is read, and its entries need no trust. */
  readonly explicitFile?: string;
  /** Only these servers are wanted. */
  readonly only?: readonly string[];
}

/**
 * All servers that are configured, with what became of each, and everything that went wrong on the way.
 * Throws when the one file that somebody named cannot be used, and for an unknown name in `only`.
 */
export async function loadConfig(options: LoadOptions): Promise<LoadedConfig> {
  const sources = findSources(options, options.explicitFile);
  const files = withoutTwins(sources.map((source) => readConfigFile(source) ?? reportIfNamed(source)));
  const [problem] = files.flatMap((file) =>
    file.source.layer === 'explicit' && file.dialect === '' ? file.problems : [],
  );
  if (problem !== undefined) throw toError(problem);

  const trust = await loadTrust(files, options);
  const config = mergeFiles(files, trust.isTrusted);
  return selectServers({ ...config, problems: [...config.problems, ...trust.problems] }, wantedNames(options));
}

function wantedNames({ only = [], env }: LoadOptions): readonly string[] {
  const name = filledVariable(env, 'MCP_WRAPPER_SERVER_NAME');
  return only.length > 0 || name === undefined ? only : [name];
}

function reportIfNamed(source: Source): ConfigFile | undefined {
  if (source.namedBy === undefined) return undefined;
  const problem = { file: source.file, line: 0, message: `This file does not exist; ${source.namedBy} names it.` };
  return { source, realPath: source.file, dialect: '', entries: [], problems: [problem] };
}

/** A file that is found under two names is read as the one that needs no trust, else as the first. */
function withoutTwins(found: readonly (ConfigFile | undefined)[]): readonly ConfigFile[] {
  const files = found.filter((file) => file !== undefined);
  return files.filter((file) => {
    const twins = files.filter(({ realPath }) => realPath === file.realPath);
    return file === (twins.find(({ source }) => !source.needsTrust) ?? twins[0]);
  });
}

/** The store of trust, and the cryptography it needs, are loaded only when an entry asks for them. */
async function loadTrust(files: readonly ConfigFile[], options: LoadOptions): Promise<TrustCheck> {
  const asks = files.some(({ source, entries }) => source.needsTrust && entries.length > 0);
  const trustsAll = ['1', 'true'].includes(options.env['SWITCHBOARD_TRUST_PROJECT'] ?? '');
  if (!asks || trustsAll) return { isTrusted: () => true, problems: [] };
  const { openTrustCheck } = await import('./trust-check.ts');
  return openTrustCheck(options);
}
