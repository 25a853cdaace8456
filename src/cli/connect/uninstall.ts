import { AppError } from '../../base/errors.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { CLIENT_IDS } from '../../clients/clients.ts';
import { commitPlan, previewPlan } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { globalSource } from '../../config/files/sources.ts';
import { type ArgumentRules, parseArguments } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { toJson } from '../output.ts';
import { canPrompt, confirm } from '../terminal/confirm.ts';
import { namedTargets } from './choose-targets.ts';
import { planDisconnects } from './disconnect.ts';
import { listOwnFiles, removeOwnFiles } from './own-files.ts';
import { showPlans } from './preview.ts';

/**
 * Runs `switchboard uninstall`: lists everything that Switchboard ever wrote, asks, and removes it. Keeps the config
 * unless `--config` is given. The package itself stays: npm removes it.
 */
export async function uninstall(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const environment = environmentOf(context);
  const store = openConnections(environment);
  const withConfig = parsed.has('--config');
  const planned = await planDisconnects(namedTargets(CLIENT_IDS), { store, environment });
  const previews = planned.map((one) => ({ plan: previewPlan(one, store), format: one.format }));
  const files = listOwnFiles(environment, { withConfig });
  const clients = planned.map(({ target, file }) => ({ client: target.client.id, file }));
  const isDryRun = parsed.has('--dry-run');
  if (!parsed.isJson) {
    showPlans(previews, context);
    context.output.answer(listText(files));
  }
  if (!isDryRun && planned.length + files.length > 0) {
    await requireConsent(parsed.has('--yes'), withConfig);
    // Before anything is removed: their records are needed for this.
    for (const one of planned) commitPlan(one, store);
    // The compiled code of this command must not be saved again when it exits.
    context.stopSavingCode();
    removeOwnFiles(listOwnFiles(environment, { withConfig }), environment);
  }
  if (parsed.isJson) return context.output.answer(toJson({ clients, files, removed: !isDryRun }));
  if (isDryRun) return context.output.answer('Nothing was changed.');
  const kept = withConfig ? '' : ` Kept your config, if any: ${escapeInvisible(globalSource(environment).file)}.`;
  context.output.answer(
    `Uninstalled.${kept} A package that was installed with npm stays: npm uninstall -g switchboard`,
  );
}

const RULES: ArgumentRules = {
  command: 'switchboard uninstall',
  positionals: [],
  requiredPositionals: 0,
  flags: ['--config', '--yes', '--dry-run'],
};

function listText(files: readonly string[]): string {
  if (files.length === 0) return 'There are no files to remove.';
  return ['Files and folders to remove:', ...files.map((file) => `  ${escapeInvisible(file)}`)].join('\n');
}

async function requireConsent(isGiven: boolean, withConfig: boolean): Promise<void> {
  if (isGiven) return;
  const command = `switchboard uninstall${withConfig ? ' --config' : ''} --yes`;
  if (!canPrompt())
    throw new AppError('USAGE', `Nothing was changed. To remove all of this without a terminal, run: ${command}`);
  if (await confirm('\nRemove all of this? [y/N] ', 'Nothing was changed.')) return;
  throw new AppError('DENIED', 'Nothing was changed.');
}
