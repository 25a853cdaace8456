import { AppError, type ErrorCode, toAppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { joinNames } from '../../base/text/join-names.ts';
import { escapeInvisible, quoteIfNeeded } from '../../base/text/visible-text.ts';
import { type ClientId, findClient } from '../../clients/clients.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { isEmptyJournal, type SetupJournal } from '../../clients/setup/journal.ts';
import type { Arguments } from '../arguments/parse-arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { toJson } from '../output.ts';
import { canPrompt } from '../terminal/confirm.ts';
import { agrees } from './questions.ts';
import { countText, createSetupRun, type SetupRun } from './setup-run.ts';
import { type KeptItem, type UndoStep, undoSteps } from './undo-steps.ts';

/** Runs `switchboard setup --undo`: reverses everything that setup did, and nothing else. */
export async function undoSetup(parsed: Arguments, context: CommandContext): Promise<void> {
  const isDryRun = parsed.has('--dry-run');
  const isInteractive = !parsed.isJson && !parsed.has('--yes') && !isDryRun && canPrompt();
  const run = createSetupRun(context, { isJson: parsed.isJson, isInteractive, signal: new AbortController().signal });
  const journal = run.journal.read();
  if (journal === undefined || isEmptyJournal(journal)) return showNothing(parsed, run);
  const later = connectedLater(journal, run);
  run.show(planText(journal, later));
  if (isDryRun) return finish({ failures: [], kept: [] }, { parsed, run, isDryRun });
  await requireConsent(parsed, run);
  const failures: UndoFailure[] = [];
  const kept: KeptItem[] = [];
  for (const step of undoSteps({ ...journal, connected: [...journal.connected, ...later] }, run))
    await undoStep(step, { run, failures, kept });
  if (failures.length === 0) run.journal.remove();
  finish({ failures, kept }, { parsed, run, isDryRun });
}

interface UndoResult {
  readonly failures: readonly UndoFailure[];
  readonly kept: readonly KeptItem[];
}

interface UndoFailure {
  readonly step: string;
  readonly code: ErrorCode;
  readonly message: string;
}

/** A step that fails does not keep the others from being undone. It stays in the journal for the next attempt. */
async function undoStep(
  { name, run: undo, done }: UndoStep,
  { run, failures, kept }: { readonly run: SetupRun; readonly failures: UndoFailure[]; readonly kept: KeptItem[] },
): Promise<void> {
  try {
    const outcome = await undo();
    for (const text of outcome.done) run.showOutcome('good', text);
    for (const item of outcome.kept ?? []) run.showOutcome('warning', keptText(item));
    kept.push(...(outcome.kept ?? []));
    if (done !== undefined) run.journal.change(done);
  } catch (error) {
    const { code, message } = toAppError(error);
    failures.push({ step: name, code, message });
    run.showOutcome('bad', `${name}: ${escapeInvisible(message)}`);
  }
}

function keptText({ kind, name, reason, remove }: KeptItem): string {
  const why = reason === 'changed' ? 'it has changed since setup' : 'a server that stays needs it';
  return `Kept the ${kind} ${quoteIfNeeded(name)}, because ${why}. To remove it, run: ${remove}`;
}

/** Returns the clients that the user has connected since setup. Undo would leave them without their servers. */
function connectedLater(journal: SetupJournal, { environment }: SetupRun): readonly ClientId[] {
  const { connected, connectedBefore } = journal;
  if (connectedBefore === undefined) return [];
  const now = new Set(
    openConnections(environment)
      .readAll()
      .map(({ client }) => client),
  );
  return [...now].filter((id) => !connected.includes(id) && !connectedBefore.includes(id));
}

function planText({ config, connected, secrets, trusted, signIns }: SetupJournal, later: readonly ClientId[]): string {
  const servers = Object.keys(config?.servers ?? {}).map(quoteIfNeeded);
  const titles = connected.map(titleOf);
  const lines = [
    ...(titles.length === 0 ? [] : [`  disconnects ${joinNames(titles)}`]),
    ...(later.length === 0
      ? []
      : [`  disconnects ${joinNames(later.map(titleOf))}, connected later, so that its own servers work again`]),
    ...(servers.length === 0
      ? []
      : [`  removes ${countText(servers.length, 'imported server')}: ${servers.join(', ')}`]),
    ...named('removes', Object.keys(secrets), 'stored secret'),
    ...(trusted.length === 0
      ? []
      : [`  restores the earlier trust in ${joinNames(trusted.map(({ file }) => escapeInvisible(file)))}`]),
    ...(signIns.length === 0 ? [] : [`  signs out of ${joinNames(signIns.map(quoteIfNeeded))}`]),
  ];
  const others = `Other later changes stay. To remove everything instead, run: ${programName()} uninstall --config`;
  return ['Undo reverses what setup did:', ...lines, others].join('\n');
}

function titleOf(id: ClientId): string {
  return findClient(id)?.title ?? id;
}

function named(verb: string, names: readonly string[], noun: string): readonly string[] {
  return names.length === 0 ? [] : [`  ${verb} ${countText(names.length, noun)}: ${names.join(', ')}`];
}

async function requireConsent(parsed: Arguments, run: SetupRun): Promise<void> {
  if (parsed.has('--yes')) return;
  if (!run.isInteractive)
    throw new AppError(
      'USAGE',
      `Nothing was changed. To undo without a terminal, run: ${programName()} setup --undo --yes`,
    );
  if (await agrees('\nUndo now?')) return;
  throw new AppError('DENIED', 'Nothing was changed.');
}

function showNothing(parsed: Arguments, run: SetupRun): void {
  if (parsed.isJson) run.context.output.answer(toJson({ undone: false, failures: [], kept: [] }));
  run.show(
    `There is nothing to undo: setup has changed nothing, or was undone already.\nTo disconnect clients that you connected yourself, run: ${programName()} disconnect`,
  );
}

function finish(
  { failures, kept }: UndoResult,
  { parsed, run, isDryRun }: { readonly parsed: Arguments; readonly run: SetupRun; readonly isDryRun: boolean },
): void {
  if (parsed.isJson) run.context.output.answer(toJson({ undone: !isDryRun && failures.length === 0, failures, kept }));
  const [first] = failures;
  if (first !== undefined) {
    const count = countText(failures.length, 'step');
    const advice = `see above. Fix the cause, then run: ${programName()} setup --undo`;
    throw new AppError(first.code, `${count} could not be undone: ${advice}`);
  }
  run.show(isDryRun ? 'Nothing was changed.' : `\n${closingText(kept)} Restart the clients.\n${leftText()}`);
}

/** Undo keeps secrets, sign-ins and servers that the user added later, and the caches. */
function leftText(): string {
  return `To remove what you added later and all files of Switchboard too, run: ${programName()} uninstall --config`;
}

function closingText({ length }: readonly KeptItem[]): string {
  if (length === 0) return 'Everything is as it was before setup.';
  return `Everything is as it was before setup, except for ${length === 1 ? 'what was kept' : `the ${length} things that were kept`}: see above.`;
}
