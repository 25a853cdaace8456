import { existsSync } from 'node:fs';
import { readConfigFile } from '../../../config/files/config-file.ts';
import { type Environment, nonEmptyVariable } from '../../../config/files/folders.ts';
import { realPathOf } from '../../../config/files/real-path.ts';
import { findProjectSources, globalSource, type Source } from '../../../config/files/sources.ts';
import { type Definitions, loadDefinitions } from '../../../config/load-config.ts';

/** The configs that commands can change. */
export type Scope = 'project' | 'global';

/**
 * Returns the file to change. In a project: the nearest one, from the working directory upward, that contains this id,
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

/** Reads all definitions; with a scope, only the files of that scope. */
export function readDefinitions(environment: Environment, scope?: Scope): Promise<Definitions> {
  if (scope === undefined) return loadDefinitions(environment);
  const sources = scope === 'global' ? [globalSource(environment)] : projectSources(environment);
  // A scope may be empty: a missing file is no problem here, even if a variable names it.
  return loadDefinitions(
    environment,
    sources.map((source) => ({ ...source, namedBy: undefined })),
  );
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
    'CODEX_MCP_WRAPPER_CONFIG is set and names the only file that is read: until it is unset, this change has no effect.',
  ];
}
