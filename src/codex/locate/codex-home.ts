import { pathOf, resolvePath, type Surroundings } from '../../config/files/folders.ts';
import { lookUpVariable } from '../../config/resolve/server-environment.ts';

/**
 * Where Codex keeps its config and its sessions. Codex itself takes `CODEX_HOME` as it stands: whoever starts Codex
 * gives it this path, so that `~` and a relative path mean the same for both of us.
 */
export function codexHome(surroundings: Surroundings): string {
  const { env, home, platform } = surroundings;
  const written = lookUpVariable(env, 'CODEX_HOME', platform) ?? '';
  return written === '' ? pathOf(platform).join(home, '.codex') : resolvePath(written, surroundings);
}
