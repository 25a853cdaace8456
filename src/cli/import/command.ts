import { buffer } from 'node:stream/consumers';
import { isatty } from 'node:tty';
import { openClientServers } from '../../clients/client-servers.ts';
import { findClient } from '../../clients/clients.ts';
import { openConnections } from '../../clients/connect/connections.ts';
import { applyImport } from '../../clients/import/apply-import.ts';
import { findServersInFile, findServersInText } from '../../clients/import/find-in-file.ts';
import { isNewServer } from '../../clients/import/find-new-servers.ts';
import { type Findings, findServers, findServersOf } from '../../clients/import/find-servers.ts';
import { type ImportCandidate, mergeServers } from '../../clients/import/merge-servers.ts';
import { type ImportPlan, planImport, usesLauncher } from '../../clients/import/plan-import.ts';
import type { Environment } from '../../config/files/folders.ts';
import { formatProblem } from '../../config/problem.ts';
import { type Arguments, parseArguments, usageError } from '../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../command-context.ts';
import { installOwnLauncher } from '../connect/install-own-launcher.ts';
import { parseScope } from '../mcp/config/change-result.ts';
import { sourceToChange } from '../mcp/config/definitions.ts';
import { toJson } from '../output.ts';
import { paintLines } from '../terminal/paint-lines.ts';
import { createStyle } from '../terminal/style.ts';
import { wrapForScreen } from '../terminal/wrap.ts';
import { chooseServers, nothingChosenError } from './choose.ts';
import { clientLines, countClients } from './client-counts.ts';
import { importDocument } from './document.ts';
import { conflictsError, nothingFoundText, unusableFilesError } from './errors.ts';
import { neededVariables, offerVariables } from './offer-variables.ts';
import { IMPORT_RULES } from './rules.ts';
import { nextSteps, PREVIEW_TONES, previewText, summaryText } from './text.ts';

/**
 * Runs `switchboard import`: finds servers of other clients, shows them, and writes those that the user chooses to our
 * config. Connects to nothing and runs nothing.
 */
export async function importServers(args: readonly string[], context: CommandContext): Promise<void> {
  const { output } = context;
  const parsed = parseArguments(args, IMPORT_RULES);
  const environment = environmentOf(context);
  const scope = parseScope(parsed, IMPORT_RULES);
  const isDryRun = parsed.has('--dry-run');
  const plan = (candidates: readonly ImportCandidate[]): ImportPlan =>
    planImport(candidates, {
      environment,
      mayReplace: parsed.has('--replace'),
      sourceOf: ({ project }) => sourceToChange(environment, scope ?? (project === undefined ? 'global' : 'project')),
    });
  const findings = await find(parsed, environment);
  const candidates = withoutSeen(mergeServers(findings.files.flatMap((file) => file.servers)), parsed, environment);
  for (const problem of findings.problems) if (!parsed.isJson) output.report(`Warning: ${formatProblem(problem)}`);
  if (candidates.length === 0 && findings.problems.length > 0) throw unusableFilesError(findings.problems);
  const preview = plan(candidates);
  if (!parsed.isJson && candidates.length > 0) showPreview(previewText(preview, findings, environment), context);
  const { chosen, isAnswer } = candidates.length === 0 ? NO_CHOICE : await chooseServers(preview, parsed);
  if (chosen === undefined) throw nothingChosenError();
  const named = new Set(chosen);
  const final = plan(candidates.filter((_, index) => named.has(index)));
  if (!isDryRun && usesLauncher(final, environment)) installOwnLauncher(context);
  applyImport(final, { environment, files: findings.files, isDryRun });
  const clients = isDryRun ? [] : await countClients(findings, context);
  const connected = connectedClients(environment);
  if (parsed.isJson) output.answer(toJson(importDocument(final, findings, { isDryRun, clients })));
  else if (candidates.length === 0) output.answer(nothingFoundText(parsed, findings, environment));
  else {
    const lines = [summaryText(final, { environment, isDryRun }), ...clientLines(clients, connected)];
    output.answer(wrapForScreen(`\n${lines.join('\n')}`, output));
  }
  if (isAnswer && !isDryRun) await offerVariables(neededVariables(final, context), { context, onInterrupt: STOPPED });
  if (!parsed.isJson && !isDryRun) for (const step of nextSteps(final, connected)) output.report(step);
  const conflicts = final.servers.filter(({ action }) => action === 'conflict');
  if (parsed.positionals.length > 0 && conflicts.length > 0) throw conflictsError(conflicts);
}

const NO_CHOICE = { chosen: [], isAnswer: false };
/** Shown if the user interrupts the questions about variables, when everything else is done. */
const STOPPED = 'The servers were imported. No further variable was stored.';

function connectedClients(environment: Environment): ReadonlySet<string> {
  return new Set(
    openConnections(environment)
      .readAll()
      .map(({ client }) => client),
  );
}

function showPreview(text: string, { output, env }: CommandContext): void {
  const style = createStyle({ isTerminal: output.screen !== undefined, env });
  output.answer(paintLines(wrapForScreen(text, output), PREVIEW_TONES, style));
}

async function find(parsed: Arguments, environment: Environment): Promise<Findings> {
  const from = parsed.value('--from');
  if (from === undefined) return findServers(environment);
  const client = findClient(from);
  if (client !== undefined) return findServersOf(client, environment);
  if (from !== '-') return findServersInFile(from, environment);
  if (isatty(0)) throw usageError(IMPORT_RULES, '--from - reads stdin, which is a terminal: pipe a config into it.');
  return findServersInText(await buffer(process.stdin), environment);
}

/** With `--new`, leaves out servers that an earlier import has seen in every client that has them. */
function withoutSeen(
  candidates: readonly ImportCandidate[],
  parsed: Arguments,
  environment: Environment,
): readonly ImportCandidate[] {
  if (!parsed.has('--new')) return candidates;
  const records = openClientServers(environment).readAll();
  return candidates.filter(({ server, duplicates }) =>
    [server, ...duplicates].some((one) => isNewServer(one, records)),
  );
}
