import { realpath, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

type ManagerVariable = 'CODEX_MANAGED_BY_BUN' | 'CODEX_MANAGED_BY_PNPM' | 'CODEX_MANAGED_BY_NPM';

/** Returns the variable that tells Codex which package manager installed it, and so how to update it. */
export async function findPackageManager(options: {
  /** The real path of the package folder. */
  readonly root: string;
  /** The path by which the script was called. */
  readonly entry: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}): Promise<ManagerVariable> {
  const { root, entry, env } = options;
  if ((await isOwnedByPnpm(root, root)) || (await isOwnedByPnpm(dirname(entry), root))) return 'CODEX_MANAGED_BY_PNPM';
  const isStartedByBun =
    /\bbun\//.test(env['npm_config_user_agent'] ?? '') || env['npm_execpath']?.includes('bun') === true;
  const isInstalledByBun = root.replaceAll('\\', '/').includes('.bun/install/global');
  return isStartedByBun || isInstalledByBun ? 'CODEX_MANAGED_BY_BUN' : 'CODEX_MANAGED_BY_NPM';
}

/** Looks for the marker of pnpm in a `node_modules`, which may be several levels above the package. */
async function isOwnedByPnpm(folder: string, root: string): Promise<boolean> {
  const modules = join(folder, 'node_modules');
  try {
    await stat(join(modules, '.modules.yaml'));
    if ((await realpath(join(modules, '@openai', 'codex'))) === root) return true;
  } catch {
    // No marker here. It may be further up.
  }
  const above = dirname(folder);
  return above === folder ? false : isOwnedByPnpm(above, root);
}
