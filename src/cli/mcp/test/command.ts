import { exitStatus } from '../../../base/error-translation.ts';
import { AppError } from '../../../base/errors.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatProblem, toConfigError } from '../../../config/problem.ts';
import type { ConfigProblem, ServerEntry } from '../../../config/server-entry.ts';
import type { ProfileName } from '../../../schema/profiles/profile.ts';
import type { TestOptions } from '../../../upstream/entry/test-server.ts';
import { STARTUP_TIMEOUT_MS } from '../../../upstream/limits.ts';
import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { parseChoice, parseTimeout } from '../../arguments/values.ts';
import type { CommandContext } from '../../command-context.ts';
import { countHealth } from '../../health/server-health.ts';
import { toJson } from '../../output.ts';
import { listenForInterrupt } from '../../terminal/interrupt.ts';
import { createStyle } from '../../terminal/style.ts';
import { wrapForScreen } from '../../terminal/wrap.ts';
import { takeCommand, typedServer } from '../target/typed-server.ts';
import { failureSummary, testFailure, totalsText } from './failure-summary.ts';
import { reportDocument, reportText } from './report-text.ts';
import { healthOf, type TestedServer, testServers } from './run-tests.ts';
import { chooseSubjects, onlySubject, skippedText } from './subjects.ts';
import { testAndCache } from './test-and-cache.ts';

/** Duplicated here, because the profiles module loads while the server starts. */
const PROFILE_NAMES: readonly ProfileName[] = ['codex', 'codex-legacy', 'none'];

const RULES: ArgumentRules = {
  command: 'switchboard mcp test',
  positionals: ['<id>'],
  requiredPositionals: 0,
  options: ['--scope', '--as', '--timeout'],
  flags: ['--all'],
};

/**
 * Runs `switchboard mcp test <id>`: connects, initializes, lists, checks the schemas, and explains how to fix failures.
 */
export async function mcpTest(args: readonly string[], context: CommandContext): Promise<void> {
  const command = takeCommand(args);
  const parsed = parseArguments(command?.args ?? args, RULES);
  const [id] = parsed.positionals;
  const typed = typedServer(id, command, RULES);
  if (command !== undefined && id !== undefined) throw usageError(RULES, `Unexpected argument ${quoteIfNeeded(id)}.`);
  if ((id === undefined && typed === undefined) !== parsed.has('--all'))
    throw usageError(RULES, 'Name one server, or give --all.');
  const scope = parseChoice(parsed, '--scope', { words: ['effective', 'project', 'global'], rules: RULES });
  const profile = parseChoice(parsed, '--as', { words: PROFILE_NAMES, rules: RULES }) ?? 'codex';
  const startupTimeoutMs = parseTimeout(parsed.value('--timeout'), RULES);
  const selection = { id, scope: scope === 'effective' ? undefined : scope };
  const subjects = typed === undefined ? await chooseSubjects(selection, context) : onlySubject(typed);
  const interruption = listenForInterrupt();
  const { signal } = interruption;
  const run = (entry: ServerEntry, onOutput: TestOptions['onOutput']) =>
    testAndCache(entry, { profile, startupTimeoutMs, signal, onOutput, context });
  const limitMs = (entry: ServerEntry) => startupTimeoutMs ?? entry.startupTimeoutMs ?? STARTUP_TIMEOUT_MS;
  const style = createStyle({ isTerminal: context.output.screen !== undefined, env: context.env });
  const show = ({ subject, report }: TestedServer) => {
    if (parsed.isJson) return;
    const text = reportText(subject, report, { isVerbose: parsed.has('--verbose'), style });
    context.output.answer(wrapForScreen(text, context.output));
  };
  for (const problem of parsed.isJson ? [] : subjects.unreadable) context.output.report(formatProblem(problem));
  const { skipped } = subjects;
  if (skipped.length > 0 && !parsed.isJson) context.output.report(skippedText(skipped));
  const tested = await testServers(subjects, { run, show, limitMs, hasProgress: !parsed.isJson }).finally(
    interruption.close,
  );
  const more = {
    ...(parsed.has('--all') ? { totals: countHealth(healthOf(tested, subjects)) } : {}),
    ...(subjects.unreadable.length === 0 ? {} : { problems: subjects.unreadable }),
    ...(skipped.length === 0 ? {} : { skipped }),
  };
  if (parsed.isJson)
    context.output.answer(
      toJson({ servers: tested.map(({ subject, report }) => reportDocument(subject, report)), ...more }),
    );
  const failure = worstTestFailure(tested, subjects.unreadable);
  if (failure === undefined) return;
  if (parsed.isJson || tested.length < 2 || failure.code === 'CANCELLED') throw failure;
  // Every failure matters here, and an error has one line.
  context.output.report(`\n${failureSummary(tested)}`);
  process.exitCode = exitStatus(failure.code);
}

/** Returns the error of the whole command: of several failures the one with the highest exit status. */
function worstTestFailure(
  tested: readonly TestedServer[],
  unreadable: readonly ConfigProblem[] = [],
): AppError | undefined {
  const failures = tested.flatMap((one) => testFailure(one) ?? []);
  const all = [...failures, ...unreadable.map((problem) => toConfigError(problem))];
  const worst = all.toSorted((a, b) => exitStatus(b.code) - exitStatus(a.code))[0];
  if (worst === undefined || failures.length === 0 || tested.length === 1) return worst;
  const message = `${totalsText(tested)} ${worst.message}`;
  return new AppError(worst.code, message, { ...(worst.data === undefined ? {} : { data: worst.data }) });
}
