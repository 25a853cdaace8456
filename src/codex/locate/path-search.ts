import { access, constants, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { Environment } from '../../config/files/folders.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';

type PathEnvironment = Pick<Environment, 'cwd' | 'env' | 'platform'>;

/** Yields all programs of this name in PATH, in the order of PATH. */
export async function* findInPath(name: string, environment: PathEnvironment): AsyncGenerator<string, void, void> {
  const { cwd, env, platform } = environment;
  const path = lookUpVariable(env, 'PATH', platform) ?? '';
  const endings = executableExtensions(name, environment);
  // Skips empty entries: they mean the working folder, which may belong to anyone.
  for (const folder of path.split(platform === 'win32' ? ';' : ':').filter((entry) => entry !== ''))
    for (const ending of endings) {
      const file = join(resolve(cwd, folder), `${name}${ending}`);
      if (await isProgram(file, platform)) yield file;
    }
}

/** On Windows the extension marks a program: npm's `codex` without one is a script for other systems. */
function executableExtensions(name: string, { env, platform }: PathEnvironment): readonly string[] {
  if (platform !== 'win32') return [''];
  const known = (lookUpVariable(env, 'PATHEXT', platform) ?? '.COM;.EXE;.BAT;.CMD').toLowerCase().split(';');
  return known.includes(extname(name).toLowerCase()) ? [''] : known;
}

export async function isProgram(file: string, platform: NodeJS.Platform): Promise<boolean> {
  try {
    if (!(await stat(file)).isFile()) return false;
    await access(file, platform === 'win32' ? constants.F_OK : constants.X_OK);
    return true;
  } catch {
    // An error here would also keep the program from starting.
    return false;
  }
}
