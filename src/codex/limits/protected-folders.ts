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
  const config = nonEmptyVariable(environment.env, 'SWITCHBOARD_CONFIG_PATH');
  const configFile = config === undefined ? [] : [dirname(resolvePath(config, environment))];
  const code = codeFolder(environment);
  const own = [
    ...[configFolder(environment), dataFolder(environment), cacheFolder(environment)],
    ...configFile,
    ...(code === undefined ? [] : [code]),
    ...socketFolders(environment),
  ];
  return [
    { path: codexHome, what: `the folder of Codex itself (CODEX_HOME, ${codexHome})` },
    ...[...new Set(own)].map((path) => ({ path, what: `a folder of Switchboard itself (${path})` })),
  ];
}
