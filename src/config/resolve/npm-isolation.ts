import { chmodSync, mkdirSync, readFileSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { describeErrno } from '../../base/files/errno.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { cacheFolder, type Environment, platformPath } from '../files/folders.ts';

/** Settings that start npm so that it finds nothing in the folder in which its server runs. */
export interface NpmIsolation {
  /** The folder in which npm itself runs: one of ours, without packages and settings. */
  readonly cwd: string;
  /** Variables for npm only: the server does not see them. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * Isolates npm from the folder of its server. npm looks for packages, programs and `.npmrc` in its working folder and
 * above it, and puts their `node_modules/.bin` in front of PATH. So it runs in a folder of ours. It starts the server
 * through its `script-shell`, which first changes to the folder of the server.
 */
export function isolateNpm(folder: string, environment: Environment): NpmIsolation {
  const { join } = platformPath(environment.platform);
  const neutral = join(cacheFolder(environment), 'npm');
  const shell = join(neutral, 'enter-folder.sh');
  try {
    mkdirSync(neutral, { recursive: true, mode: 0o700 });
    // Makes npm treat this folder, and none above it, as the root of a project.
    writeIfChanged(join(neutral, 'package.json'), '{ "private": true }\n');
    writeIfChanged(shell, ENTER_FOLDER);
  } catch (error) {
    throw new AppError(
      'SPAWN_FAILED',
      `Spawn error: npm cannot be isolated from the packages in ${folder}, because ${neutral} cannot be written: ${describeErrno(error)}. Set XDG_CACHE_HOME or SWITCHBOARD_HOME to a folder that you can write to.`,
      { cause: error },
    );
  }
  return { cwd: neutral, env: { [FOLDER_VARIABLE]: folder, npm_config_script_shell: shell } };
}

const FOLDER_VARIABLE = 'SWITCHBOARD_RUN_FOLDER';

const ENTER_FOLDER = `#!/bin/sh
cd -- "$${FOLDER_VARIABLE}" || exit 1
INIT_CWD=$${FOLDER_VARIABLE}
export INIT_CWD
unset ${FOLDER_VARIABLE} npm_config_script_shell
exec /bin/sh "$@"
`;

function writeIfChanged(file: string, content: string): void {
  if (readIfPresent(file) === content) return;
  writeFileAtomic(file, content, { beforeRename: (temporary) => chmodSync(temporary, 0o700) });
}

function readIfPresent(file: string): string | undefined {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    // Missing or unreadable: the caller writes it again.
    return undefined;
  }
}
