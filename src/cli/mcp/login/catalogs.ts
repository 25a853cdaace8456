import { cacheFolder } from '../../../config/files/folders.ts';
import { openCatalogCache } from '../../../upstream/catalog-cache/catalog-cache.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';

/**
 * Deletes the cached lists of a server: a list for another account must not be shown, so the next gateway fetches it
 * again.
 */
export async function forgetCatalogs(
  serverId: string,
  context: Pick<CommandContext, 'env' | 'cwd' | 'home'>,
): Promise<void> {
  const folder = cacheFolder(environmentOf(context));
  // An unusable cache contains nothing that could be shown.
  await openCatalogCache({ folder, now: Date.now, onProblem() {} }).forget(serverId);
}
