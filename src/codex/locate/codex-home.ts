import { type Environment, platformPath, resolvePath } from '../../config/files/folders.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';

/**
 * Where Codex keeps its config and its sessions. Codex itself takes `CODEX_HOME` as it stands: whoever starts Codex
 * gives it this path, so that `~` and a relative path mean the same for both of us.
 */
export function codexHome(environment: Environment): string {
  const { env, home, platform } = environment;
  const written = lookUpVariable(env, 'CODEX_HOME', platform) ?? '';
  return written === '' ? platformPath(platform).join(home, '.codex') : resolvePath(written, environment);
}
