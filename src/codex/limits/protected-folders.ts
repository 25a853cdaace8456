import { dirname } from 'node:path';
import {
  cacheFolder,
  codeFolder,
  configFolder,
  dataFolder,
  type Environment,
  nonEmptyVariable,
  resolvePath,
} from '../../config/files/folders.ts';
import { socketFolders } from '../../control/socket/socket-paths.ts';

/** A folder that no session may write to, because its files decide what runs outside of any sandbox. */
export interface ProtectedFolder {
  readonly path: string;
  /** Description for messages. */
  readonly what: string;
}

/**
 * Returns CODEX_HOME and Switchboard's own folders: config, data, cache, compiled code and the socket folders, where a
 * new file proves access to the sockets.
 */
export function protectedFolders(codexHome: string, environment: Environment): readonly ProtectedFolder[] {
  const configFiles = CONFIG_VARIABLES.flatMap((name) => nonEmptyVariable(environment.env, name) ?? []);
  const code = codeFolder(environment);
  const own = [
    ...[configFolder(environment), dataFolder(environment), cacheFolder(environment)],
    ...configFiles.map((file) => dirname(resolvePath(file, environment))),
    ...(code === undefined ? [] : [code]),
    ...socketFolders(environment),
  ];
  return [
    { path: codexHome, what: `the folder of Codex itself (CODEX_HOME, ${codexHome})` },
    ...[...new Set(own)].map((path) => ({ path, what: `a folder of Switchboard itself (${path})` })),
  ];
}

/** Variables that name a config file which needs no trust. */
const CONFIG_VARIABLES = ['SWITCHBOARD_CONFIG_PATH', 'CODEX_MCP_WRAPPER_CONFIG'];
