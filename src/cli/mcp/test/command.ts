import type { AppError } from '../../../base/errors.ts';
import { visibleWord } from '../../../base/text/visible-text.ts';
import { describe } from '../../../config/problem.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { ProfileName } from '../../../schema/profiles/profile.ts';
import type { StartFailure } from '../../../upstream/catalog-cache/failure-cache.ts';
import { type TestReport, testServer } from '../../../upstream/entry/test-server.ts';
import { type ArgumentRules, fail, readArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import { wrapForScreen } from '../../terminal/wrap.ts';
import { readChoice, toJson } from '../config/change-result.ts';
import { surroundingsOf } from '../config/definitions.ts';
import { worstFailure } from './failure.ts';
import { testDocument, testText } from './report-text.ts';
import { type Tested, testEach } from './run-tests.ts';
import { chooseSubjects, notTested } from './subjects.ts';

/** Written down here: the profiles themselves are loaded while the server starts. */
const PROFILE_NAMES: readonly ProfileName[] = ['codex', 'codex-legacy', 'none'];

const RULES: ArgumentRules = {
  command: 'switchboard mcp test',
  words: ['<id>'],
  needed: 0,
  once: ['--scope', '--as', '--timeout'],
  flags: ['--all'],
};

/** `switchboard mcp test <id>`: connects, greets, lists, looks at the schemas, and says what to do about what went wrong. */
export async function mcpTest(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, RULES);
  const [id] = asked.words;
  if ((id === undefined) !== asked.has('--all')) throw fail(RULES, 'Name one server, or give --all.');
  const scope = readChoice(asked, '--scope', { words: ['effective', 'project', 'global'], rules: RULES });
  const profile = readChoice(asked, '--as', { words: PROFILE_NAMES, rules: RULES }) ?? 'codex';
  const startupTimeoutMs = readSeconds(asked.value('--timeout'));
  const subjects = await chooseSubjects({ id, scope: scope === 'effective' ? undefined : scope }, context);
  const run = (entry: ServerEntry) => test(entry, { profile, startupTimeoutMs }, context);
  const show = ({ subject, report }: Tested) => {
    if (asked.isJson) return;
    const text = testText(subject, report, { isVerbose: asked.has('--verbose') });
    context.output.answer(wrapForScreen(text, context.output));
  };
  for (const problem of asked.isJson ? [] : subjects.unreadable) context.output.complain(describe(problem));
  const { skipped } = subjects;
  if (skipped.length > 0 && !asked.isJson) context.output.complain(notTested(skipped));
  const tested = await testEach(subjects, { run, show, hasProgress: !asked.isJson });
  const more = {
    ...(subjects.unreadable.length === 0 ? {} : { problems: subjects.unreadable }),
    ...(skipped.length === 0 ? {} : { skipped }),
  };
  if (asked.isJson)
    context.output.answer(
      toJson({ servers: tested.map(({ subject, report }) => testDocument(subject, report)), ...more }),
    );
  const failure = worstFailure(tested, subjects.unreadable);
  if (failure !== undefined) throw failure;
}

/** Caches what the server offers, so that the next client gets it at once, or its failure, so that no client waits for it. */
async function test(
  entry: ServerEntry,
  { profile, startupTimeoutMs }: { readonly profile: ProfileName; readonly startupTimeoutMs: number | undefined },
  context: CommandContext,
): Promise<TestReport> {
  const report = await testServer({
    entry,
    surroundings: surroundingsOf(context),
    profile,
    startupTimeoutMs,
  });
  const { offered, failed } = report;
  const { openServerMemory, NO_CAPABILITIES } = await import('../servers/server-cache.ts');
  const memory = openServerMemory(context);
  if (offered !== undefined) memory.keep(entry, NO_CAPABILITIES, offered);
  // A server that has listed its tools is worth waiting for. With a custom time limit, a failure proves nothing.
  else if (failed !== undefined && failed.step !== 'lists' && startupTimeoutMs === undefined)
    memory.keepFailure(entry, failureOf(failed.error));
  return report;
}

/** The failure as a gateway records it: a failed list counts as a refused request. */
function failureOf({ code, message }: AppError): StartFailure {
  if (code !== 'LIST_FAILED') return { code, message };
  return { code: 'REQUEST_FAILED', message: message.replace('it is degraded: ', '') };
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 3_600) return Math.ceil(seconds * 1_000);
  throw fail(RULES, `--timeout takes a number of seconds, not ${visibleWord(text)}.`);
}
