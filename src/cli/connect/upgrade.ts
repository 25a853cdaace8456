import { existsSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { VERSION } from '../../base/version.ts';
import { readCurrentCopy } from '../../clients/launcher/app-copy.ts';
import { compareVersions } from '../../clients/launcher/compare-versions.ts';
import { launcherFile } from '../../clients/launcher/install-launcher.ts';
import { removeOldCopies } from '../../clients/launcher/remove-old-copies.ts';
import { parseArguments } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { toJson } from '../output.ts';
import { installOwnLauncher } from './install-own-launcher.ts';

/**
 * Runs `switchboard upgrade`: lets connected clients run the version of this package from their next start on. Changes
 * no client, and downloads nothing.
 */
export async function upgrade(args: readonly string[], context: CommandContext): Promise<void> {
  const { isJson } = parseArguments(args, { command: 'switchboard upgrade', positionals: [], requiredPositionals: 0 });
  const environment = environmentOf(context);
  const before = readCurrentCopy(environment);
  if (before === undefined && !existsSync(launcherFile(environment))) throw notConnected();
  if (before !== undefined && compareVersions(before.version, VERSION) > 0) throw older(before.version);
  const after = installOwnLauncher(context);
  const removed = removeOldCopies(environment);
  const isChanged = before?.name !== after.name;
  if (isJson)
    return context.output.answer(
      toJson({ version: after.version, copy: after.name, previous: before?.name ?? null, changed: isChanged, removed }),
    );
  const text = isChanged
    ? `Connected clients will run Switchboard ${after.version} (${after.name}) the next time they start.`
    : `Connected clients already run this copy of Switchboard ${after.version}. To get a newer one: npx switchboard@latest upgrade`;
  context.output.answer(text);
}

function notConnected(): AppError {
  return new AppError('USAGE', `No client has been connected yet. Run: ${programName()} connect`);
}

function older(installed: string): AppError {
  return new AppError(
    'USAGE',
    `This is Switchboard ${VERSION}, but connected clients already run ${installed}. To get a newer one: npx switchboard@latest upgrade`,
  );
}
