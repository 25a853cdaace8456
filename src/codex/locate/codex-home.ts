import { type Environment, platformPath, resolvePath } from '../../config/files/folders.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';

/**
 * Returns the folder of Codex's config and sessions. Codex itself does not expand `CODEX_HOME`: start Codex with this
 * path, so that `~` and relative paths mean the same to Codex and to this server.
 */
export function codexHome(environment: Environment): string {
  const { env, home, platform } = environment;
  const written = lookUpVariable(env, 'CODEX_HOME', platform) ?? '';
  return written === '' ? platformPath(platform).join(home, '.codex') : resolvePath(written, environment);
}
