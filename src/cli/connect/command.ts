import { fileURLToPath } from 'node:url';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { openClientServers } from '../../clients/client-servers.ts';
import { commitPlan, type PlannedFile, previewPlan } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { changesFile, disabledNames } from '../../clients/connect/plan-connect.ts';
import type { FilePlan } from '../../clients/connect/plan-disconnect.ts';
import type { ConnectTarget } from '../../clients/connect/targets.ts';
import { installLauncher, launcherFile } from '../../clients/launcher/install-launcher.ts';
import { removeOldCopies } from '../../clients/launcher/remove-old-copies.ts';
import { type ArgumentRules, type Arguments, parseArguments, usageError } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { loadEveryServer } from '../load-every-server.ts';
import { toJson } from '../output.ts';
import { installedTargets, namedTargets } from './choose-targets.ts';
import { type ConnectOptions, planTarget, seenEntries } from './planned-target.ts';
import { requireConsent, showPlans } from './preview.ts';
import { toolsText } from './tool-counts.ts';

/**
 * Runs `switchboard connect [client…]`: shows how it would change the config of each client, asks, and then lets the
 * clients start this Switchboard. Without names, connects all clients that are installed.
 */
export async function connect(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const environment = environmentOf(context);
  const options = await readOptions(parsed, context);
  const targets = parsed.positionals.length === 0 ? installedTargets(environment) : namedTargets(parsed.positionals);
  refuseCodexInCodex(parsed);
  const planned = await Promise.all(targets.map((target) => planTarget(target, options)));
  const store = openConnections(environment);
  const previews = planned.map((one) => ({ plan: previewPlan(one, store), format: one.format }));
  const plans = previews.map(({ plan }) => plan);
  if (!parsed.isJson) showPlans(previews, context);
  if (parsed.has('--dry-run')) return answer(plans, { parsed, options, status: 'planned' });
  const command = ['switchboard connect', ...targets.map(({ client }) => client.id)].join(' ');
  await requireConsent({ command, isGiven: parsed.has('--yes'), plans });
  const root = fileURLToPath(context.packageRoot);
  installLauncher({ root, node: process.execPath, environment });
  removeOldCopies(environment);
  const done = planned.map((one) => commit(one, { store, options }));
  answer(done, { parsed, options, status: 'connected' });
}

const RULES: ArgumentRules = {
  command: 'switchboard connect',
  positionals: ['[client…]'],
  requiredPositionals: 0,
  flags: ['--all-servers', '--codex', '--keep-servers', '--yes', '--dry-run'],
};

async function readOptions(parsed: Arguments, context: CommandContext): Promise<ConnectOptions> {
  const { servers } = await loadEveryServer(context);
  return {
    seesAllServers: parsed.has('--all-servers'),
    hasCodexTools: parsed.has('--codex'),
    keepsServers: parsed.has('--keep-servers'),
    entries: servers.flatMap(({ verdict }) => (verdict.kind === 'usable' ? [verdict.entry] : [])),
    records: openClientServers(environmentOf(context)).readAll(),
    asksCodex: true,
    context,
  };
}

function refuseCodexInCodex(parsed: Arguments): void {
  if (parsed.has('--codex') && parsed.positionals.includes('codex'))
    throw usageError(RULES, 'Codex cannot have itself as tools: use --codex with another client.');
}

function commit(
  planned: PlannedFile,
  { store, options }: { readonly store: ReturnType<typeof openConnections>; readonly options: ConnectOptions },
): FilePlan {
  const plan = commitPlan(planned, store);
  if (options.seesAllServers)
    openClientServers(environmentOf(options.context)).change(planned.target.client.id, () => undefined);
  return plan;
}

interface Answer {
  readonly parsed: Arguments;
  readonly options: ConnectOptions;
  readonly status: 'planned' | 'connected';
}

function answer(plans: readonly FilePlan[], { parsed, options, status }: Answer): void {
  const { context } = options;
  const clients = plans.map((plan) => ({
    client: plan.target.client.id,
    file: plan.file,
    status: changesFile(plan) ? status : 'unchanged',
    created: plan.current === undefined,
    disabled: disabledNames(plan),
  }));
  const lines = plans.map((plan) => resultText(plan, { options, status }));
  const launcher = launcherFile(environmentOf(context));
  context.output.answer(parsed.isJson ? toJson({ launcher, clients }) : lines.join('\n'));
}

function resultText(plan: FilePlan, { options, status }: Pick<Answer, 'options' | 'status'>): string {
  const { target, file } = plan;
  const { title } = target.client;
  if (!changesFile(plan)) return `${title} is already connected (${escapeInvisible(file)}).`;
  if (status === 'planned') return `${title} would be connected. Nothing was changed.`;
  const disabled = disabledNames(plan);
  const off =
    disabled.length === 0 ? '' : ` Turned off there, because Switchboard provides them: ${disabled.join(', ')}.`;
  return `Connected ${title}: ${toolsOf(target, options)}${off} Restart ${title} to use it.`;
}

function toolsOf({ client: { id } }: ConnectTarget, options: ConnectOptions): string {
  const ids = seenEntries(id, options).map((entry) => entry.id);
  return toolsText(id, ids, environmentOf(options.context));
}
