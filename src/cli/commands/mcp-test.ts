import { AppError, errorTable } from '../../base/errors.ts';
import { redactOfEntry } from '../../config/secrets.ts';
import type { ServerEntry } from '../../config/server-entry.ts';
import { visibleWord } from '../../config/visible-text.ts';
import { type TestReport, testServer } from '../../host/test-server.ts';
import type { ProfileName } from '../../schema/profiles/profile.ts';
import { type ArgumentRules, fail, readArguments } from '../arguments.ts';
import type { CommandContext } from '../main.ts';
import { readChoice, toJson } from './mcp-answers.ts';
import { surroundingsOf } from './mcp-sources.ts';
import { chooseEntries } from './mcp-test-entry.ts';
import { testDocument, testText } from './mcp-test-text.ts';

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
  const entries = await chooseEntries({ id, scope: scope === 'effective' ? undefined : scope }, context);
  const tested: Tested[] = [];
  for (const entry of entries) {
    const report = await test(entry, { profile, startupTimeoutMs }, context);
    tested.push({ entry, report });
    if (!asked.isJson) context.output.answer(testText(entry, report, { isVerbose: asked.has('--verbose') }));
  }
  if (asked.isJson)
    context.output.answer(toJson({ servers: tested.map(({ entry, report }) => testDocument(entry, report)) }));
  const failure = worstFailure(tested);
  if (failure !== undefined) throw failure;
}

interface Tested {
  readonly entry: ServerEntry;
  readonly report: TestReport;
}

function test(
  entry: ServerEntry,
  { profile, startupTimeoutMs }: { readonly profile: ProfileName; readonly startupTimeoutMs: number | undefined },
  context: CommandContext,
): Promise<TestReport> {
  return testServer({
    entry,
    surroundings: surroundingsOf(context),
    profile,
    startupTimeoutMs,
    redact: redactOfEntry(context.env, entry),
  });
}

function readSeconds(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const seconds = Number(text);
  if (Number.isFinite(seconds) && seconds > 0 && seconds <= 3_600) return Math.ceil(seconds * 1_000);
  throw fail(RULES, `--timeout takes a number of seconds, not ${visibleWord(text)}.`);
}

/** What the command as a whole ends with: of several failures the one with the highest status. */
function worstFailure(tested: readonly Tested[]): AppError | undefined {
  const failures = tested.flatMap(({ entry, report }) => failureOf(entry, report) ?? []);
  const worst = failures.toSorted((a, b) => errorTable[b.code].exit - errorTable[a.code].exit)[0];
  if (worst === undefined || tested.length === 1) return worst;
  const message = `${failures.length} of ${tested.length} servers failed. ${worst.message}`;
  return new AppError(worst.code, message, { ...(worst.data === undefined ? {} : { data: worst.data }) });
}

function failureOf({ id }: ServerEntry, { failed, unusable }: TestReport): AppError | undefined {
  const data = { server: id };
  if (failed !== undefined) {
    const { code, message } = failed.error;
    return new AppError(code, `${visibleWord(id)}: ${message}`, { data: { ...data, step: failed.step } });
  }
  const [first] = unusable;
  if (first === undefined) return undefined;
  const what = `${unusable.length} tool${unusable.length === 1 ? '' : 's'} of ${visibleWord(id)} cannot be offered`;
  return new AppError('TOOL_INVALID', `${what}: ${visibleWord(first.name)}: ${first.reason}`, { data });
}
