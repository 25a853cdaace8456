import { AppError, isAppError } from '../../base/errors.ts';
import { programName } from '../../base/program-name.ts';
import { isEmptyJournal } from '../../clients/setup/journal.ts';
import { type Arguments, parseArguments, usageError } from '../arguments/parse-arguments.ts';
import type { CommandContext } from '../command-context.ts';
import { showPlans } from '../connect/preview.ts';
import { toJson } from '../output.ts';
import { canPrompt } from '../terminal/confirm.ts';
import { listenForInterrupt } from '../terminal/interrupt.ts';
import { applySetup } from './apply-setup.ts';
import { dryRunDocument } from './document.ts';
import { hasNothingToDo, loadOverview, type Overview } from './overview.ts';
import { type ClientPreview, previewClients } from './preview-clients.ts';
import { agrees, chooseClients } from './questions.ts';
import { SETUP_RULES } from './rules.ts';
import { createSetupRun, type SetupRun } from './setup-run.ts';
import { declinedText, foundText, nothingFoundText, planQuestion, showPreview, showProblems } from './text.ts';

/**
 * Runs `switchboard setup`: finds the servers of all clients, imports them, connects the clients, tests everything and
 * makes one call. Changes nothing until the user agrees.
 */
export async function setup(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, SETUP_RULES);
  if (parsed.has('--undo')) return (await import('./undo.ts')).undoSetup(parsed, context);
  const isInteractive = !parsed.isJson && !parsed.has('--yes') && !parsed.has('--dry-run') && canPrompt();
  if (parsed.isJson && !parsed.has('--yes') && !parsed.has('--dry-run'))
    throw usageError(SETUP_RULES, '--json cannot ask questions: add --yes or --dry-run.');
  const interrupt = listenForInterrupt();
  const run = createSetupRun(context, { isJson: parsed.isJson, isInteractive, signal: interrupt.signal });
  try {
    await setUp(parsed, run);
  } catch (error) {
    throw withUndoHint(error, run);
  } finally {
    interrupt.close();
  }
}

async function setUp(parsed: Arguments, run: SetupRun): Promise<void> {
  const overview = await loadOverview(parsed.positionals, run.environment);
  run.show(foundText(overview));
  showProblems(overview, run);
  if (hasNothingToDo(overview)) return showNothing(overview, { parsed, run });
  if (
    run.isInteractive &&
    !(await agrees('\nSetup imports and tests these servers, and asks before it changes a client.\nSet up now?'))
  )
    return showDeclined(run);
  const previews = await previewClients(overview, run);
  showPreview(overview, previews, run);
  if (parsed.has('--dry-run')) return showDryRun(overview, previews, { parsed, run });
  const targets = await chooseTargets(overview, previews, { parsed, run });
  if (targets === undefined) return showDeclined(run);
  await applySetup(overview, targets, { run, isJson: parsed.isJson });
}

function showNothing(
  overview: Overview,
  { parsed, run }: { readonly parsed: Arguments; readonly run: SetupRun },
): void {
  if (parsed.isJson) run.context.output.answer(toJson(dryRunDocument(overview, [])));
  run.show(nothingFoundText(overview));
}

function showDryRun(
  overview: Overview,
  previews: readonly ClientPreview[],
  { parsed, run }: { readonly parsed: Arguments; readonly run: SetupRun },
): void {
  if (parsed.isJson) {
    run.context.output.answer(toJson(dryRunDocument(overview, previews)));
    return;
  }
  showDiffs(previews, run);
  run.show('\nNothing was changed, and nothing was started.');
}

/** Returns undefined if the user declines. */
async function chooseTargets(
  overview: Overview,
  previews: readonly ClientPreview[],
  { parsed, run }: { readonly parsed: Arguments; readonly run: SetupRun },
): Promise<Overview['targets'] | undefined> {
  const { targets } = overview;
  if (parsed.has('--yes')) return targets;
  if (!run.isInteractive)
    throw new AppError('USAGE', `Nothing was changed. To set up without a terminal, run: ${programName()} setup --yes`);
  const question = planQuestion(overview, previews);
  // Only servers of this project are left, and they have a question of their own.
  if (question === undefined) return [];
  return chooseClients({
    question: `\n${question}`,
    targets,
    showDiff: () => showDiffs(previews, run),
    showHint: run.show,
  });
}

function showDiffs(previews: readonly ClientPreview[], { context }: SetupRun): void {
  context.output.answer('');
  showPlans(
    previews.flatMap(({ change }) => change ?? []),
    context,
  );
}

/** To decline is no mistake, so this is not shown as an error. */
function showDeclined({ context }: SetupRun): void {
  process.exitCode = DECLINED_STATUS;
  context.output.report(declinedText());
}

/** The exit status of DENIED. */
const DECLINED_STATUS = 9;

/** Adds what has been changed so far, and how to reverse it. */
function withUndoHint(error: unknown, { journal }: SetupRun): unknown {
  if (!isAppError(error) || error.code === 'DENIED' || error.code === 'USAGE') return error;
  const hasChanges = !isEmptyJournal(journal.read());
  const { code, message, data, cause } = error;
  const interrupted = code === 'CANCELLED' ? 'Setup was interrupted.' : message;
  const state = hasChanges
    ? `The steps shown above are done. To reverse them, run: ${programName()} setup --undo`
    : 'Nothing was changed.';
  return new AppError(code, `${interrupted} ${state}`, { cause, ...(data === undefined ? {} : { data }) });
}
