import { chmodSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isAppError } from '../../base/errors.ts';
import { describeErrno } from '../../base/files/errno.ts';
import { writeFileAtomic } from '../../base/write-file-atomic.ts';
import { dataFolder, type Environment, nonEmptyVariable, resolvePath } from '../../config/files/folders.ts';
import { describeRemedy } from '../../config/files/private-json.ts';
import { toConfigError } from '../../config/problem.ts';
import { type AppCopy, appFolder, copyPackage, readCurrentCopy, selectCopy } from './app-copy.ts';
import { compareVersions } from './compare-versions.ts';
import { posixLauncher, windowsLauncher } from './launcher-script.ts';
import { searchPath } from './search-path.ts';

/** Returns the path that clients start. It stays the same for all versions. */
export function launcherFile(environment: Environment): string {
  const name = environment.platform === 'win32' ? 'switchboard.cmd' : 'switchboard';
  return join(dataFolder(environment), 'bin', name);
}

export interface InstallOptions {
  /** Root folder of the package to install: the one that runs. */
  readonly root: string;
  readonly node: string;
  readonly environment: Environment;
}

/**
 * Writes the launcher and installs this package behind it, unless a newer version is already installed. Returns the
 * copy that the launcher runs from now on.
 */
export function installLauncher({ root, node, environment }: InstallOptions): AppCopy {
  const file = launcherFile(environment);
  try {
    const current = readCurrentCopy(environment);
    const own = copyPackage(root, environment);
    const isNewer = current !== undefined && compareVersions(current.version, own.version) > 0;
    const selected = isNewer ? current : own;
    if (selected.name !== current?.name) selectCopy(selected, environment);
    writeLauncher({ file, node, environment });
    return selected;
  } catch (error) {
    if (isAppError(error)) throw error;
    const message = `The launcher cannot be installed: ${describeErrno(error)}.${describeRemedy(error)}`;
    throw toConfigError({ file, line: 0, message }, error);
  }
}

function writeLauncher({ file, node, environment }: Omit<InstallOptions, 'root'> & { readonly file: string }): void {
  const variables = ownVariables(environment);
  const options = { appFolder: appFolder(environment), node, variables, searchPath: searchPath(environment) };
  const text = environment.platform === 'win32' ? windowsLauncher(options) : posixLauncher(options);
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  writeFileAtomic(file, text, { isDurable: true, beforeRename: (temporary) => chmodSync(temporary, 0o755) });
}

/** A client that does not pass these on would read another config, and other secrets. */
function ownVariables(environment: Environment): Readonly<Record<string, string>> {
  const names = ['SWITCHBOARD_HOME', 'SWITCHBOARD_CONFIG_PATH'];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = nonEmptyVariable(environment.env, name);
      return value === undefined ? [] : [[name, resolvePath(value, environment)]];
    }),
  );
}
