import { existsSync, lstatSync, readdirSync, rmdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, sep } from 'node:path';
import { cacheFolder, codeFolder, configFolder, dataFolder, type Environment } from '../../config/files/folders.ts';
import { realPathOf } from '../../config/files/real-path.ts';
import { findProjectSources, globalSource } from '../../config/files/sources.ts';
import { isVacantConfig, removeProjectFolder } from '../../config/write/vacant-config.ts';
import { socketFolders } from '../../control/socket/socket-paths.ts';

/**
 * Returns everything that Switchboard keeps outside of projects and that exists, and the configs of this project that
 * hold nothing. Lists names instead of whole folders: SWITCHBOARD_HOME may be a folder that contains files of other
 * programs.
 */
export function listOwnFiles(
  environment: Environment,
  { withConfig }: { readonly withConfig: boolean },
): readonly string[] {
  const config = globalSource(environment).file;
  const code = codeFolder(environment);
  const found = [
    ...existing(dataFolder(environment), DATA_NAMES),
    ...existing(cacheFolder(environment), CACHE_NAMES),
    ...socketFolders(environment).filter(existsSync),
    ...(code === undefined ? [] : existing(code, BUILD_NAMES)),
    ...(withConfig ? existing(dirname(config), new RegExp(`^${escapePattern(basename(config))}(\\.lock)?$`)) : []),
    ...vacantProjectConfigs(environment),
  ];
  return outermost([...new Set(found)]);
}

function vacantProjectConfigs(environment: Environment): readonly string[] {
  // The global config may be in a folder of that name above the project.
  const global = realPathOf(globalSource(environment).file, environment.platform);
  return findProjectSources(environment)
    .filter(({ layer, file }) => layer === 'project' && realPathOf(file, environment.platform) !== global)
    .map(({ file }) => file)
    .filter(isVacantConfig);
}

/** Leaves out the paths inside a folder that is removed as a whole. */
function outermost(paths: readonly string[]): readonly string[] {
  return paths.filter((path) => !paths.some((other) => path.startsWith(join(other, sep))));
}

/** Removes these files and folders, and then the folders above them that are ours and empty. */
export function removeOwnFiles(files: readonly string[], environment: Environment): void {
  for (const file of files) {
    rmSync(file, { recursive: true, force: true });
    removeProjectFolder(file);
  }
  const code = codeFolder(environment);
  const folders = [code, cacheFolder(environment), dataFolder(environment), configFolder(environment)];
  for (const folder of folders.filter((path) => path !== undefined)) removeIfEmpty(folder);
}

/** With the locks and temporary files beside them. */
const DATA_NAMES =
  /^(?:app|bin|backups|run|codex-folders|codex-sessions|(?:connections|clients|trust|pins|mcp-auth|secrets|tokens|codex-settings|setup)\.json(?:\..*)?|trust\.key|http-token(?:\..*)?|(?:codex-)?http-session\.key|(?:codex-)?http-sessions-\d+\.jsonl|codex-owners\.json|\.refresh-.*)$/;
const CACHE_NAMES = /^(?:catalogs|lists|names\.json|npm|codex-exec|codex-diffs|code|run-[0-9a-f]{8})(?:\..*)?$/;
/** Compiled code, in a folder that the user may have named. */
const BUILD_NAMES = /^[0-9a-f]{16}-v[\d.]+.*-\w+$/;

function existing(folder: string, names: RegExp): readonly string[] {
  if (!existsSync(folder) || !lstatSync(folder).isDirectory()) return [];
  return readdirSync(folder)
    .filter((name) => names.test(name))
    .map((name) => join(folder, name));
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch {
    // It does not exist, or contains files that are not ours.
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
