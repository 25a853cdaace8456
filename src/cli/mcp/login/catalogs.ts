import { cacheFolder } from '../../../config/files/folders.ts';
import { openCatalogCache } from '../../../upstream/catalog-cache/catalog-cache.ts';
import type { CommandContext } from '../../main.ts';

/** What a server offered to another account is nobody else's business: the next gateway asks it anew. */
export async function forgetCatalogs(
  serverId: string,
  { cwd, home, env }: Pick<CommandContext, 'env' | 'cwd' | 'home'>,
): Promise<void> {
  const folder = cacheFolder({ cwd, home, env, platform: process.platform });
  // A cache that cannot be used holds nothing that anybody would be shown.
  await openCatalogCache({ folder, now: Date.now, onProblem() {} }).forget(serverId);
}
