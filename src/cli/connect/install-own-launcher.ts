import { fileURLToPath } from 'node:url';
import type { AppCopy } from '../../clients/launcher/app-copy.ts';
import { installLauncher } from '../../clients/launcher/install-launcher.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';

/** Installs the launcher for the version that runs, unless a newer one is installed. */
export function installOwnLauncher(context: CommandContext): AppCopy {
  const root = fileURLToPath(context.packageRoot);
  return installLauncher({ root, node: process.execPath, environment: environmentOf(context) });
}
