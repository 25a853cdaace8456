import { dirname } from 'node:path';
import type { Layer } from '../server-entry.ts';
import { configFolder, type Environment, nonEmptyVariable, platformPath, resolvePath } from './folders.ts';
import { realPathOf } from './real-path.ts';

/** A file that may hold servers. */
export interface Source {
  readonly layer: Exclude<Layer, 'command-line'>;
  readonly file: string;
  /** Somebody else may have put it there, so that its entries need trust. */
  readonly needsTrust: boolean;
  /** Only our own dialect; otherwise any. */
  readonly isSwitchboardFile: boolean;
  /** Who named this very file: that it does not exist is then worth a word. */
  readonly namedBy: string | undefined;
}

/** All files that are looked for, high to low. Whoever names files gets those alone, in the order in which they are named. */
export function findSources(
  environment: Environment,
  explicitFile?: string | readonly string[],
  explicitBy = '--config',
): readonly Source[] {
  const named = [explicitFile ?? []].flat();
  const fromEnv = nonEmptyVariable(environment.env, 'CODEX_MCP_WRAPPER_CONFIG');
  if (named.length > 0) return named.map((file) => explicitSource(file, explicitBy, environment));
  if (fromEnv !== undefined) return [explicitSource(fromEnv, 'CODEX_MCP_WRAPPER_CONFIG', environment)];
  return [...findProjectSources(environment), globalSource(environment), codexSource(environment)];
}

function explicitSource(written: string, namedBy: string, environment: Environment): Source {
  const file = resolvePath(written, environment);
  return { layer: 'explicit', file, needsTrust: false, isSwitchboardFile: false, namedBy };
}

/**
 * The files of the project, which need trust: our own config and `.mcp.json`, each from the working folder upwards. Their
 * folders are real paths, because trust is bound to the folder in which a file is found.
 */
export function findProjectSources({ cwd, platform }: Environment): readonly Source[] {
  const path = platformPath(platform);
  const common = { needsTrust: true, namedBy: undefined };
  const folders = parentFolders(realPathOf(cwd, platform), platform);
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

/** The folder that a project's file speaks about. */
export function projectFolder({ layer, file }: { readonly layer: Layer; readonly file: string }): string {
  const folder = dirname(file);
  return layer === 'project' ? dirname(folder) : folder;
}

/** Whether an entry came with a project, and means its folder. */
export function isProjectLayer({ layer }: { readonly layer: Layer }): boolean {
  return layer === 'project' || layer === 'mcp-json';
}

function parentFolders(from: string, platform: NodeJS.Platform): readonly string[] {
  const path = platformPath(platform);
  const folders = [from];
  for (let folder = from; path.dirname(folder) !== folder; ) {
    folder = path.dirname(folder);
    folders.push(folder);
  }
  return folders;
}

/** The global config. */
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
