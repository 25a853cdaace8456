import { existsSync } from 'node:fs';
import { type ConfigFile, type LeftOutEntry, readConfigFile } from '../../../config/files/config-file.ts';
import { type Environment, nonEmptyVariable } from '../../../config/files/folders.ts';
import { realPathOf } from '../../../config/files/real-path.ts';
import { needsTrustCheck, readSourceFiles } from '../../../config/files/source-files.ts';
import { findProjectSources, globalSource, type Source } from '../../../config/files/sources.ts';
import { type Candidate, chooseEntries, mergeFiles } from '../../../config/merge-files.ts';
import type { ConfigFileState, ConfigProblem, ConfiguredServer } from '../../../config/server-entry.ts';
import type { TrustCheck } from '../../../config/trust/trust-check.ts';

/** The configs that commands can change. */
export type Scope = 'project' | 'global';

/**
 * Returns the file to change. In a project: the nearest one, from the working directory upwards, that contains this id,
 * else the nearest that exists, else the one of the working directory.
 */
export function sourceToChange(environment: Environment, scope: Scope, id?: string): Source {
  const global = globalSource(environment);
  if (scope === 'global') return global;
  const sources = projectSources(environment);
  const [here = global] = sources;
  // The global config may be in a folder of that name above the project. Never change it as a project config.
  const globalPath = realPathOf(global.file, environment.platform);
  const existing = sources.filter(
    ({ file }) => existsSync(file) && realPathOf(file, environment.platform) !== globalPath,
  );
  const hasId = (source: Source) => readConfigFile(source)?.entries.some((entry) => entry.id === id) === true;
  return (id === undefined ? undefined : existing.find(hasId)) ?? existing[0] ?? here;
}

function projectSources(environment: Environment): readonly Source[] {
  return findProjectSources(environment).filter(({ layer }) => layer === 'project');
}

/** The server definitions of all files. */
export interface Definitions {
  /** Every entry, in order of precedence. */
  readonly candidates: readonly Candidate[];
  /** The effective entry of each id. */
  readonly chosen: ReadonlyMap<string, Candidate>;
  readonly servers: readonly ConfiguredServer[];
  /** Entries without a usable id. They are not in `servers`. */
  readonly leftOut: readonly LeftOutEntry[];
  readonly problems: readonly ConfigProblem[];
  /** Every file that was looked for. */
  readonly files: readonly ConfigFileState[];
}

/** Reads all definitions; with a scope, only the files of that scope. */
export async function readDefinitions(environment: Environment, scope?: Scope): Promise<Definitions> {
  const { files, states } = scope === undefined ? readSourceFiles(environment) : readScopeFiles(environment, scope);
  const trust = await loadTrust(files, environment);
  const { servers, problems } = mergeFiles(files, trust.isTrusted);
  return {
    ...chooseEntries(files, trust.isTrusted),
    servers,
    leftOut: files.flatMap(({ leftOut }) => leftOut),
    problems: [...problems, ...trust.problems],
    files: states,
  };
}

/** Ignores the variable that names an explicit file, because commands change the regular layers. */
export function withoutExplicitFile(environment: Environment): Environment {
  const { CODEX_MCP_WRAPPER_CONFIG: _, ...env } = environment.env;
  return { ...environment, env };
}

/** Warns that the changed files are not read while an explicit file is set. */
export function explicitFileWarning({ env }: Environment): readonly string[] {
  const file = nonEmptyVariable(env, 'CODEX_MCP_WRAPPER_CONFIG');
  if (file === undefined) return [];
  return [
    'CODEX_MCP_WRAPPER_CONFIG is set and names the one file that is read: until it is unset, this has no effect.',
  ];
}

function readScopeFiles(
  environment: Environment,
  scope: Scope,
): { files: readonly ConfigFile[]; states: ConfigFileState[] } {
  const sources = scope === 'global' ? [globalSource(environment)] : projectSources(environment);
  const found = sources.map((source) => ({ source, file: readConfigFile(source) }));
  return {
    files: found.flatMap(({ file }) => file ?? []),
    states: found.map(({ source, file }) => {
      const state = file === undefined ? 'absent' : file.dialect === '' ? 'broken' : 'usable';
      return { file: source.file, layer: source.layer, state, signature: '' };
    }),
  };
}

/** Loads the trust store, and the cryptography that it needs, only if an entry requires trust. */
async function loadTrust(files: readonly ConfigFile[], environment: Environment): Promise<TrustCheck> {
  if (!needsTrustCheck(files, environment.env)) return { isTrusted: () => true, problems: [] };
  const { openTrustCheck } = await import('../../../config/trust/trust-check.ts');
  return openTrustCheck(environment);
}
