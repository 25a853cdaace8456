import { access, constants, stat } from 'node:fs/promises';
import { extname, join, resolve } from 'node:path';
import type { Environment } from '../../config/files/folders.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';

type PathEnvironment = Pick<Environment, 'cwd' | 'env' | 'platform'>;

/** All programs of this name in PATH, in its order. */
export async function* findInPath(name: string, environment: PathEnvironment): AsyncGenerator<string, void, void> {
  const { cwd, env, platform } = environment;
  const path = lookUpVariable(env, 'PATH', platform) ?? '';
  const endings = executableExtensions(name, environment);
  // An empty entry would be the working folder, which may be anybody's.
  for (const folder of path.split(platform === 'win32' ? ';' : ':').filter((entry) => entry !== ''))
    for (const ending of endings) {
      const file = join(resolve(cwd, folder), `${name}${ending}`);
      if (await isProgram(file, platform)) yield file;
    }
}

/** On Windows a program is known by the ending of its name: the file `codex` of npm is a script for other systems. */
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
    // Whatever keeps us from it would keep us from starting it.
    return false;
  }
}
