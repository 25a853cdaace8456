import { programName } from '../../../base/program-name.ts';
import { neutralize, oneLine } from '../../../base/text/safe-text.ts';
import { quoteForShell } from '../../../base/text/shell-quote.ts';
import { escapeInvisible } from '../../../base/text/visible-text.ts';
import type { ServerContext } from '../../../codex/server-context.ts';
import { listTool } from '../../../codex/tools/list.ts';
import { readTool } from '../../../codex/tools/read.ts';
import { renderTranscript } from '../../../codex/views/transcript.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../command-context.ts';
import { toJson } from '../../output.ts';
import { alignColumns, MIN_COLUMN_WIDTH } from '../../terminal/columns.ts';
import { withWaitingNotice } from '../../terminal/waiting-notice.ts';
import { createLocalCall } from './local-call.ts';
import { withLocalSessions } from './local-sessions.ts';

const SESSIONS_RULES: ArgumentRules = {
  command: 'switchboard codex sessions',
  positionals: ['[search]'],
  requiredPositionals: 0,
  options: ['--cwd', '--limit'],
};
const SHOW_RULES: ArgumentRules = {
  command: 'switchboard codex show',
  positionals: ['<session>'],
  requiredPositionals: 1,
};
const DEFAULT_LIMIT = 20;

/** Runs `switchboard codex sessions`: lists the stored sessions of every client, most recent first. */
export async function codexSessions(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, SESSIONS_RULES);
  const [search] = parsed.positionals;
  const cwd = parsed.value('--cwd');
  const given = {
    limit: parseLimit(parsed.value('--limit')),
    ...(search === undefined ? {} : { search }),
    ...(cwd === undefined ? {} : { workingDirectory: cwd }),
  };
  const list = (serverContext: ServerContext) => listTool.run(given, localCall(), serverContext);
  const { structuredContent } = await open(
    { isVerbose: parsed.has('--verbose'), isJson: parsed.isJson },
    context,
    list,
  );
  if (parsed.isJson) return context.output.answer(toJson(structuredContent));
  const listed = structuredContent['sessions'];
  const sessions = Array.isArray(listed) ? listed.filter(isObject) : [];
  if (sessions.length === 0) return context.output.answer('no sessions');
  const cells = [HEAD, ...sessions.map(cellsOf)];
  const width = context.output.screen?.size().columns;
  context.output.answer(
    alignColumns(cells, { width, ...COLUMN_FIT })
      .map((line) => line.trimEnd())
      .join('\n'),
  );
}

/** Runs `switchboard codex show <session>`: prints its transcript without resuming it. */
export async function codexShow(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, SHOW_RULES);
  const [sessionId = ''] = parsed.positionals;
  const options = { isVerbose: parsed.has('--verbose'), isJson: parsed.isJson };
  if (parsed.isJson) {
    const read = (serverContext: ServerContext) => readTool.run({ sessionId, limit: 50 }, localCall(), serverContext);
    return context.output.answer(toJson((await open(options, context, read)).structuredContent));
  }
  const { text, next } = await open(options, context, ({ sessions }) => renderTranscript(sessions, sessionId));
  if (next !== undefined) context.output.report('Earlier turns are left out.');
  context.output.answer(neutralize(text, { multiline: true }));
  context.output.notice?.(`To continue it, run: ${programName()} codex say ${quoteForShell(sessionId)} "…"`);
}

interface OpenOptions {
  readonly isVerbose: boolean;
  readonly isJson: boolean;
}

function open<Result>(
  { isVerbose, isJson }: OpenOptions,
  context: CommandContext,
  run: (serverContext: ServerContext) => Promise<Result>,
): Promise<Result> {
  const notify = isJson ? undefined : context.output.notice;
  return withWaitingNotice(
    () => ['Codex'],
    notify,
    () => withLocalSessions({ isVerbose }, context, run),
  );
}

function localCall() {
  return createLocalCall({ signal: new AbortController().signal, ask: async () => ({ action: 'decline' }) });
}

function parseLimit(text: string | undefined): number {
  if (text === undefined) return DEFAULT_LIMIT;
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw usageError(SESSIONS_RULES, `--limit takes a number from 1 to 200, not ${JSON.stringify(oneLine(text))}.`);
}

const HEAD = ['session', 'last used', 'folder', 'task'];
const COLUMN_FIT = {
  cut: ['task', 'folder'].map((name) => ({ column: HEAD.indexOf(name), keeps: MIN_COLUMN_WIDTH })),
  drop: [],
  name: HEAD.indexOf('session'),
};

function cellsOf({ sessionId, timestamp, directory, name, summary }: JsonObject): readonly string[] {
  const task = typeof name === 'string' ? name : summary;
  const time = String(timestamp ?? '').replace(/T(\d\d:\d\d).*$/, ' $1');
  return [sessionId, time, directory, task].map((value) =>
    typeof value === 'string' && value !== '' ? escapeInvisible(oneLine(value)) : '-',
  );
}
