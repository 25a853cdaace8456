import { dirname } from 'node:path';
import type { Layer } from '../server-entry.ts';
import { configFolder, type Environment, nonEmptyVariable, platformPath, resolvePath } from './folders.ts';
import { pathAndParents, realPathOf } from './real-path.ts';

/** A file that may define servers. */
export interface Source {
  readonly layer: Exclude<Layer, 'command-line'>;
  readonly file: string;
  /** Whether someone else may have created the file, so that its entries need trust. */
  readonly needsTrust: boolean;
  /** Whether the file must use our own dialect; otherwise it may use any. */
  readonly isSwitchboardFile: boolean;
  /** The option or variable that names this file, if any. A missing file is then a problem. */
  readonly namedBy: string | undefined;
}

/**
 * Returns all candidate files, highest precedence first. If files are named explicitly, returns only those, in that
 * order.
 */
export function findSources(
  environment: Environment,
  explicitFiles: readonly string[] = environment.configFiles ?? [],
  explicitBy = '--config',
): readonly Source[] {
  const fromEnv = nonEmptyVariable(environment.env, 'CODEX_MCP_WRAPPER_CONFIG');
  if (explicitFiles.length > 0) return explicitFiles.map((file) => explicitSource(file, explicitBy, environment));
  if (fromEnv !== undefined) return [explicitSource(fromEnv, 'CODEX_MCP_WRAPPER_CONFIG', environment)];
  return [...findProjectSources(environment), globalSource(environment), codexSource(environment)];
}

function explicitSource(written: string, namedBy: string, environment: Environment): Source {
  const file = resolvePath(written, environment);
  return { layer: 'explicit', file, needsTrust: false, isSwitchboardFile: false, namedBy };
}

/**
 * Returns the files of the project, which need trust: our own config and `.mcp.json`, each from the working folder
 * upward. Their folders are real paths, because trust is bound to the folder in which a file is found.
 */
export function findProjectSources({ cwd, platform }: Environment): readonly Source[] {
  const path = platformPath(platform);
  const common = { needsTrust: true, namedBy: undefined };
  const folders = pathAndParents(realPathOf(cwd, platform), platform);
  const toOwn = (folder: string): Source => {
    return {
      ...common,
      layer: 'project',
      file: path.join(folder, '.switchboard', 'config.json'),
      isSwitchboardFile: true,
    };
  };
  const toShared = (folder: string): Source => {
    return { ...common, layer: 'mcp-json', file: path.join(folder, '.mcp.json'), isSwitchboardFile: false };
  };
  return [...folders.map(toOwn), ...folders.map(toShared)];
}

/** Returns the folder that a project file applies to. */
export function projectFolder({ layer, file }: { readonly layer: Layer; readonly file: string }): string {
  const folder = dirname(file);
  return layer === 'project' ? dirname(folder) : folder;
}

/** Returns whether the user trusts the files of every project. */
export function trustsEveryProject(env: Environment['env']): boolean {
  return ['1', 'true'].includes(env['SWITCHBOARD_TRUST_PROJECT'] ?? '');
}

/** Returns whether an entry comes from a project, and so applies to its folder. */
export function isProjectLayer({ layer }: { readonly layer: Layer }): boolean {
  return layer === 'project' || layer === 'mcp-json';
}

/** Returns the global config, which `SWITCHBOARD_CONFIG_PATH` can move. */
export function globalSource(environment: Environment): Source {
  const variable = 'SWITCHBOARD_CONFIG_PATH';
  const named = nonEmptyVariable(environment.env, variable);
  const usual = platformPath(environment.platform).join(configFolder(environment), 'config.json');
  const file = named === undefined ? usual : resolvePath(named, environment);
  return {
    layer: 'global',
    file,
    needsTrust: false,
    isSwitchboardFile: true,
    namedBy: named === undefined ? undefined : variable,
  };
}

function codexSource(environment: Environment): Source {
  const folder = resolvePath(nonEmptyVariable(environment.env, 'CODEX_HOME') ?? '~/.codex', environment);
  const file = platformPath(environment.platform).join(folder, '.mcp.json');
  return { layer: 'codex', file, needsTrust: false, isSwitchboardFile: false, namedBy: undefined };
}
