import { programName } from '../../base/program-name.ts';
import { joinNames } from '../../base/text/join-names.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { openClientServers } from '../../clients/client-servers.ts';
import { commitPlan, type PlannedFile } from '../../clients/connect/commit-plan.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { changesFile, disabledNames } from '../../clients/connect/plan-connect.ts';
import type { FilePlan } from '../../clients/connect/plan-disconnect.ts';
import type { ConnectTarget } from '../../clients/connect/targets.ts';
import { launcherFile } from '../../clients/launcher/install-launcher.ts';
import { removeOldCopies } from '../../clients/launcher/remove-old-copies.ts';
import { type ArgumentRules, type Arguments, parseArguments, usageError } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { loadEveryServer } from '../load-every-server.ts';
import { toJson } from '../output.ts';
import { withWaitingNotice } from '../terminal/waiting-notice.ts';
import { wrapForScreen } from '../terminal/wrap.ts';
import { installedTargets, namedTargets } from './choose-targets.ts';
import { installOwnLauncher } from './install-own-launcher.ts';
import { type ConnectOptions, planTarget, seenEntries } from './planned-target.ts';
import { requireConsent, showPlans } from './preview.ts';
import { previewEach, type SkippedClient } from './preview-each.ts';
import { countTools, type ToolCounts, toolsText, uncountedLines } from './tool-counts.ts';

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
  const store = openConnections(environment);
  const all = await withWaitingNotice(
    () => ['Codex'],
    context.output.notice,
    () => Promise.all(targets.map((target) => planTarget(target, options))),
  );
  const { previews, skipped } = previewEach(all, { store, areNamed: parsed.positionals.length > 0 });
  const planned = previews.map((one) => one.planned);
  const plans = previews.map(({ plan }) => plan);
  if (!parsed.isJson) {
    showPlans(previews, context);
    for (const { target } of planned) for (const line of viewLines(target, options)) context.output.answer(line);
    for (const { title, reason } of skipped) context.output.report(`Warning: Skipped ${title}. ${reason}`);
  }
  if (parsed.has('--dry-run')) return answer(plans, { parsed, options, skipped, status: 'planned' });
  const command = [`${programName()} connect`, ...planned.map(({ target }) => target.client.id)].join(' ');
  await requireConsent({ command, isGiven: parsed.has('--yes'), plans });
  installOwnLauncher(context);
  removeOldCopies(environment);
  const done: FilePlan[] = [];
  try {
    for (const one of planned) done.push(commit(one, { store, options }));
  } finally {
    // If a client fails, those before it are already connected.
    if (done.length > 0) answer(done, { parsed, options, skipped, status: 'connected' });
  }
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
    throw usageError(RULES, 'Codex cannot use itself as tools: use --codex with another client.');
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
  readonly skipped: readonly SkippedClient[];
  readonly status: 'planned' | 'connected';
}

function answer(plans: readonly FilePlan[], { parsed, options, skipped, status }: Answer): void {
  const { context } = options;
  const clients = plans.map((plan) => ({
    client: plan.target.client.id,
    file: plan.file,
    status: changesFile(plan) ? status : 'unchanged',
    created: plan.current === undefined,
    disabled: disabledNames(plan),
    sees: seenBy(plan.target, options),
  }));
  const launcher = launcherFile(environmentOf(context));
  if (parsed.isJson) return void context.output.answer(toJson({ launcher, clients, skipped }));
  const changed = plans.filter(changesFile);
  const lines = [
    // Below a diff.
    ...(changed.length === 0 ? [] : ['']),
    ...plans.map((plan) => resultText(plan, { options, status })),
    ...(status === 'planned' ? [] : uncountedLines(clients.map(({ sees }) => sees))),
    ...(changed.length === 0 || status === 'planned' ? [] : [nextText(changed)]),
  ];
  context.output.answer(wrapForScreen(lines.join('\n'), context.output));
}

function resultText(plan: FilePlan, { options, status }: Pick<Answer, 'options' | 'status'>): string {
  const { target, file } = plan;
  const { title } = target.client;
  const sees = `${toolsText(target.client.id, seenBy(target, options))}${hiddenText(target, options)}`;
  if (!changesFile(plan)) return `${title} is already connected (${escapeInvisible(file)}). ${sees}`;
  if (status === 'planned') return `${title} would be connected. Nothing was changed.`;
  const disabled = disabledNames(plan);
  const off =
    disabled.length === 0
      ? ''
      : `\nTurned off there because Switchboard provides ${disabled.length === 1 ? 'it' : 'them'}: ${disabled.map(quoteIfNeeded).join(', ')}`;
  return `Connected ${title}. ${sees}${off}`;
}

function nextText(changed: readonly FilePlan[]): string {
  const titles = changed.map(({ target }) => target.client.title);
  const ids = changed.map(({ target }) => target.client.id);
  return `\nRestart ${joinNames(titles)} to use Switchboard.\nTo undo this, run: ${programName()} disconnect ${ids.join(' ')}`;
}

/** Says before the question which servers the client will see, if they are not all that it saw before. */
function viewLines({ client: { id, title } }: ConnectTarget, options: ConnectOptions): readonly string[] {
  const before = seenEntries(id, { ...options, seesAllServers: false });
  const others = options.entries.filter((entry) => !before.includes(entry)).map((entry) => quoteIfNeeded(entry.id));
  if (others.length === 0) return [];
  if (options.seesAllServers) return [`${title} will also see: ${others.join(', ')}`];
  return [
    `${title} will see ${before.length} of ${options.entries.length} servers. To give it access to all of them, add --all-servers.`,
  ];
}

/** Names the servers that this client did not have, and how it gets them too. */
function hiddenText({ client }: ConnectTarget, options: ConnectOptions): string {
  const seen = seenEntries(client.id, options);
  const hidden = options.entries.filter((entry) => !seen.includes(entry)).map(({ id }) => quoteIfNeeded(id));
  if (hidden.length === 0) return '';
  return ` It does not see ${hidden.join(', ')}. To give it access to all servers, run: ${programName()} connect ${client.id} --all-servers.`;
}

function seenBy({ client }: ConnectTarget, options: ConnectOptions): ToolCounts {
  const ids = seenEntries(client.id, options).map(({ id }) => id);
  return countTools(ids, environmentOf(options.context));
}
