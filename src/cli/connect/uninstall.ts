import { existsSync } from 'node:fs';
import { AppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { CLIENT_IDS } from '../../clients/clients.ts';
import { commitPlan, previewPlan } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { listSignIns } from '../../clients/setup/stored-sign-ins.ts';
import { globalSource } from '../../config/files/sources.ts';
import { type ArgumentRules, parseArguments } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { exitSoon } from '../exit-soon.ts';
import { toJson } from '../output.ts';
import { canPrompt, confirm } from '../terminal/confirm.ts';
import { namedTargets } from './choose-targets.ts';
import { planDisconnects } from './disconnect.ts';
import { endSignIns } from './end-sign-ins.ts';
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
  const config = globalSource(environment).file;
  const keptConfig = !withConfig && existsSync(config) ? config : undefined;
  const clients = planned.map(({ target, file }) => ({ client: target.client.id, file }));
  const isDryRun = parsed.has('--dry-run');
  const signIns = listSignIns(environment) ?? [];
  if (!parsed.isJson) {
    showPlans(previews, context);
    context.output.answer(listText(files));
    if (signIns.length > 0) context.output.answer(`Sign-ins to end: ${signIns.map(quoteIfNeeded).join(', ')}`);
    if (keptConfig !== undefined)
      context.output.answer(
        `Your config will be kept: ${escapeInvisible(keptConfig)}. To remove it too, add --config.`,
      );
  }
  if (!isDryRun && planned.length + files.length > 0) {
    await requireConsent(parsed.has('--yes'), withConfig);
    // Before anything is removed: their records are needed for this.
    for (const one of planned) commitPlan(one, store);
    const ended = await endSignIns(signIns, context);
    if (!parsed.isJson) for (const text of ended.texts) context.output.answer(text);
    // The compiled code of this command must not be saved again when it exits.
    context.stopSavingCode();
    removeOwnFiles(listOwnFiles(environment, { withConfig }), environment);
    if (ended.hasPending) exitSoon();
  }
  if (parsed.isJson)
    return context.output.answer(
      toJson({ clients, files, signIns, keptConfig: keptConfig ?? null, removed: !isDryRun }),
    );
  if (isDryRun) return context.output.answer('Nothing was changed.');
  context.output.answer(resultText(keptConfig));
}

function resultText(keptConfig: string | undefined): string {
  return [
    'Uninstalled.',
    ...(keptConfig === undefined
      ? []
      : [
          `Your config was kept: ${escapeInvisible(keptConfig)}. To remove it, run: ${programName()} uninstall --config --yes`,
        ]),
    'If you installed the package with npm, remove it: npm uninstall -g switchboard',
  ].join('\n');
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
  const command = `${programName()} uninstall${withConfig ? ' --config' : ''} --yes`;
  if (!canPrompt())
    throw new AppError('USAGE', `Nothing was changed. To remove all of this without a terminal, run: ${command}`);
  if (await confirm('\nRemove all of this? [y/N] ', 'Nothing was changed.')) return;
  throw new AppError('DENIED', 'Nothing was changed.');
}
