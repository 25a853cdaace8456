import { existsSync } from 'node:fs';
import { programName } from '../../base/program-name.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { CLIENT_IDS } from '../../clients/clients.ts';
import { commitPlan, type PlannedFile, previewPlan } from '../../clients/connect/commit-plan.ts';
import { type ConnectionStore, openConnections } from '../../clients/connect/connections.ts';
import { findUnrecorded } from '../../clients/connect/own-entries.ts';
import { changesFile } from '../../clients/connect/plan-connect.ts';
import { type FilePlan, planDisconnect } from '../../clients/connect/plan-disconnect.ts';
import { type ConnectTarget, userFile } from '../../clients/connect/targets.ts';
import { undoCopyFile } from '../../clients/connect/undo-copy.ts';
import type { Environment } from '../../config/files/folders.ts';
import { type ArgumentRules, parseArguments } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { toJson } from '../output.ts';
import { loadFormat, namedTargets } from './choose-targets.ts';
import { requireConsent, showPlans } from './preview.ts';

/**
 * Runs `switchboard disconnect [client…]`: undoes what `connect` changed, and nothing else. Without names, disconnects
 * all clients.
 */
export async function disconnect(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const environment = environmentOf(context);
  const store = openConnections(environment);
  const names = parsed.positionals.length === 0 ? CLIENT_IDS : parsed.positionals;
  const targets = namedTargets(names);
  const planned = await planDisconnects(targets, { store, environment });
  const previews = planned.map((one) => ({ plan: previewPlan(one, store), format: one.format }));
  const plans = previews.map(({ plan }) => plan);
  const isDryRun = parsed.has('--dry-run');
  const copied = plans.filter(({ file }) => existsSync(undoCopyFile(file)));
  const recorded = new Set([...store.readAll(), ...copied].map(({ file }) => file));
  const isRecorded = ({ file }: FilePlan) => recorded.has(file);
  if (!parsed.isJson) {
    showPlans(previews, context);
    for (const plan of plans) if (!isRecorded(plan)) context.output.report(missingRecordText(plan, store));
  }
  const command = [`${programName()} disconnect`, ...parsed.positionals].join(' ');
  if (!isDryRun) await requireConsent({ command, isGiven: parsed.has('--yes'), plans });
  const done = isDryRun ? plans : planned.map((one) => commitPlan(one, store));
  const status = isDryRun ? 'planned' : 'disconnected';
  if (parsed.isJson) {
    const clients = done.map((plan) => {
      return { client: plan.target.client.id, file: plan.file, status, recorded: isRecorded(plan) };
    });
    return context.output.answer(toJson({ clients }));
  }
  const missing =
    parsed.positionals.length === 0 ? [] : targets.filter((one) => !plans.some(({ target }) => target === one));
  const lines = [
    ...done.map((plan) => resultText(plan, { status, isRecorded: isRecorded(plan) })),
    ...missing.map(({ client }) => `${client.title} is not connected.`),
  ];
  context.output.answer(lines.length === 0 ? 'No client is connected.' : lines.join('\n'));
}

const RULES: ArgumentRules = {
  command: 'switchboard disconnect',
  positionals: ['[client…]'],
  requiredPositionals: 0,
  flags: ['--yes', '--dry-run'],
};

/** Returns the files of these clients that contain edits of ours, recorded or not. */
export async function planDisconnects(
  targets: readonly ConnectTarget[],
  { store, environment }: { readonly store: ConnectionStore; readonly environment: Environment },
): Promise<readonly PlannedFile[]> {
  const recorded = store.readAll();
  const planned = await Promise.all(
    targets.map(async (target) => {
      const usual = userFile(target, environment);
      const format = await loadFormat(usual.format);
      const files = recorded.filter(({ client }) => client === target.client.id).map(({ file }) => file);
      const toPlanned = (file: string): PlannedFile => ({
        target,
        file,
        format,
        makePlan: (state) => planDisconnect({ ...state, connection: state.connection ?? findUnrecorded(state) }),
      });
      if (files.length > 0) return files.map(toPlanned);
      return [toPlanned(usual.file)].filter((one) => isConnected(one, store));
    }),
  );
  return planned.flat();
}

/** Without a record. A file that cannot be read has no entry of ours that could be removed. */
function isConnected(planned: PlannedFile, store: ConnectionStore): boolean {
  try {
    return changesFile(previewPlan(planned, store));
  } catch {
    return false;
  }
}

/** Only the record knows which servers `connect` turned off. */
function missingRecordText({ target }: FilePlan, { file }: ConnectionStore): string {
  const { title } = target.client;
  return `Warning: ${escapeInvisible(file)} has no record of this connection. Servers of ${title} that connect turned off stay off. If you moved that folder, set SWITCHBOARD_HOME to it and run this again.`;
}

interface ResultOptions {
  readonly status: 'planned' | 'disconnected';
  readonly isRecorded: boolean;
}

function resultText({ target, file, next, current }: FilePlan, { status, isRecorded }: ResultOptions): string {
  const { title } = target.client;
  if (status === 'planned') return `${title} would be disconnected. Nothing was changed.`;
  const shown = escapeInvisible(file);
  if (current === undefined) return `Disconnected ${title}: ${shown} no longer exists.`;
  if (!isRecorded) return `Disconnected ${title}: removed Switchboard's entries from ${shown}.`;
  return `Disconnected ${title}: ${next === undefined ? `removed ${shown}, which connect had created` : `restored ${shown}`}.`;
}
