import { cacheFolder } from '../../../config/files/folders.ts';
import { openCatalogCache } from '../../../upstream/catalog-cache/catalog-cache.ts';
import type { CommandContext } from '../../command-context.ts';

/**
 * Deletes the cached lists of a server: a list for another account must not be shown, so the next gateway fetches it
 * again.
 */
export async function forgetCatalogs(
  serverId: string,
  { cwd, home, env }: Pick<CommandContext, 'env' | 'cwd' | 'home'>,
): Promise<void> {
  const folder = cacheFolder({ cwd, home, env, platform: process.platform });
  // An unusable cache contains nothing that could be shown.
  await openCatalogCache({ folder, now: Date.now, onProblem() {} }).forget(serverId);
}
