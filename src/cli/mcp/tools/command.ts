import { AppError } from '../../../base/errors.ts';
import { nearestNames } from '../../../base/text/nearest-names.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { commandFor, testCommand, trustToolsCommand } from '../../../config/next-command.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import { type ArgumentRules, type Arguments, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { storeNames } from '../../completion/store-names.ts';
import { signatureOf } from '../../input-schema/signature.ts';
import { type Output, toJson } from '../../output.ts';
import { chooseServers, onlyServer, type ServerChoice } from '../listing/choose-servers.ts';
import { emptyListText } from '../listing/empty-list.ts';
import { failureDocuments, failuresOf, reportFailures, skippedText, worstFailure } from '../listing/failures.ts';
import { listFromAll, type ServerList } from '../listing/list-servers.ts';
import { parseRequestOptions, REQUEST_FLAGS, REQUEST_OPTIONS } from '../listing/request-options.ts';
import { isServerUrl, type TypedServer, takeCommand, typedServer } from '../target/typed-server.ts';
import { type DescribedTool, describeTool } from './describe-tool.ts';
import { createNamePattern } from './name-pattern.ts';
import { listWidth, toolLine } from './tool-line.ts';

const RULES: ArgumentRules = {
  command: 'switchboard mcp tools',
  positionals: ['[url]', '[pattern]'],
  requiredPositionals: 0,
  options: ['--server', '--view', ...REQUEST_OPTIONS],
  flags: REQUEST_FLAGS,
};

/** Runs `switchboard mcp tools [pattern]`: lists the tools of all servers, one line each, even if some servers fail. */
export async function mcpTools(args: readonly string[], context: CommandContext): Promise<void> {
  const { output } = context;
  const command = takeCommand(args);
  const parsed = parseArguments(command?.args ?? args, RULES);
  const { entry: typed, pattern } = parseTarget(parsed, command);
  const options = parseRequestOptions(parsed, RULES, context);
  const choice =
    typed === undefined
      ? await chooseServers(parsed.value('--server'), context, {
          pattern,
          isVerbose: options.isVerbose,
          view: parsed.value('--view'),
        })
      : onlyServer(typed);
  // A search should not start every server; --direct queries them.
  const isDirect = options.isDirect || typed !== undefined;
  const prefersCache = pattern !== undefined && !isDirect;
  const lists = await listFromAll('tools', choice.entries, { ...options, isDirect, prefersCache });
  if (typed === undefined) storeToolNames(lists, context);
  const all = lists.flatMap(({ entry, items, mask }) =>
    items.filter(({ key }) => choice.view.showsTool(entry.id, key)).map((item) => describeTool(entry, item, mask)),
  );
  const matching = pattern === undefined ? all : all.filter(matcher(pattern));
  const shown = matching.filter(({ hidden }) => hidden === undefined);
  const failures = failuresOf(choice, lists);
  const failure = worstFailure(failures, choice.entries.length + choice.broken.length);
  const isUnmatched = pattern !== undefined && (parsed.isJson ? matching : shown).length === 0;
  if (isUnmatched && failure === undefined) {
    if (choice.entries.length === 0 && choice.reported.length > 0) throw nothingSearchedError(pattern, choice);
    if (!parsed.isJson) reportFailures(output, choice, failures);
    if (!parsed.isJson) reportLeftOut(output, lists);
    throw noMatchError(pattern, all, choice);
  }
  if (parsed.isJson) {
    const tools = matching.map(documentOf);
    const { skipped } = choice;
    output.answer(toJson({ tools, leftOut: leftOut(lists), skipped, failures: failureDocuments(failures) }));
  } else {
    reportFailures(output, choice, failures);
    reportLeftOut(output, lists);
    const width = listWidth(output);
    const lines = shown.map((tool) => toolLine(tool, width));
    if (lines.length > 0) output.answer(lines.join('\n'));
    else if (failure === undefined) output.answer(emptyListText('tools', choice, lists));
    // If no tool could be listed, only the reason for that matters.
    else if (isUnmatched && all.length > 0) output.report(noMatchError(pattern, all, choice).message);
  }
  if (failure !== undefined) throw failure;
}

/** Returns the server that was typed instead of configured, if any, and the pattern. */
function parseTarget(
  parsed: Arguments,
  command: TypedServer | undefined,
): { readonly entry: ServerEntry | undefined; readonly pattern: string | undefined } {
  const [first, second] = parsed.positionals;
  const isUrl = isServerUrl(first);
  if (second !== undefined && !isUrl) throw usageError(RULES, `Unexpected argument ${quoteIfNeeded(second)}.`);
  const entry = typedServer(first, command, RULES);
  if (entry !== undefined && parsed.has('--server'))
    throw usageError(RULES, '--server names a configured server: leave it out with a URL or a command.');
  if (entry !== undefined && parsed.has('--view'))
    throw usageError(RULES, '--view applies to configured servers: leave it out with a URL or a command.');
  return { entry, pattern: isUrl ? second : first };
}

/** Stores the names for shell completion. */
function storeToolNames(lists: readonly ServerList[], context: CommandContext): void {
  const whole = lists.filter(({ failure }) => failure === undefined);
  storeNames(
    environmentOf(context),
    whole.map(({ entry, items, mask }) => ({
      id: entry.id,
      tools: items.filter((item) => describeTool(entry, item, mask).hidden === undefined),
    })),
  );
}

function matcher(pattern: string): (tool: DescribedTool) => boolean {
  const matches = createNamePattern(pattern);
  return ({ server, tool, title }) => matches([`${server}.${tool}`, tool, ...(title === undefined ? [] : [title])]);
}

/** No server was queried, so the number of tools is unknown. */
function nothingSearchedError(pattern: string, choice: ServerChoice): AppError {
  const message = `No tool matches ${quoteIfNeeded(pattern)}. ${skippedText(choice)}`;
  return new AppError('TOOL_NOT_FOUND', message, { data: { pattern, near: [], skipped: choice.skipped } });
}

/** Hidden tools are not suggested. */
function noMatchError(pattern: string, all: readonly DescribedTool[], { entries }: ServerChoice): AppError {
  const known = all.filter(({ hidden }) => hidden === undefined);
  const [, toolPart = ''] = /\.(.+)$/s.exec(pattern) ?? [];
  const goals = [pattern, toolPart].map((goal) => goal.replaceAll(/[*?]/g, ''));
  const names = goals.flatMap((goal) =>
    nearestNames(
      goal,
      known.map(({ tool }) => tool),
    ),
  );
  const near = known.filter(({ tool }) => names.includes(tool)).map(({ server, tool }) => `${server}.${tool}`);
  const few = [...new Set(near)].slice(0, 3);
  const found = known.length === 0 ? 'No tool is offered' : `There are ${known.length}`;
  const hint =
    few.length > 0
      ? `Did you mean ${few.map(quoteIfNeeded).join(' or ')}?`
      : `${found}. Run: ${commandFor('mcp tools', entries[0]?.origin)}`;
  return new AppError('TOOL_NOT_FOUND', `No tool matches ${quoteIfNeeded(pattern)}. ${hint}`, {
    data: { pattern, near: few },
  });
}

function documentOf({ inputSchema, outputSchema: _, ...tool }: DescribedTool): object {
  return { ...tool, signature: `${tool.tool}${signatureOf(inputSchema, MAX_SIGNATURE)}` };
}

const MAX_SIGNATURE = 1_000;

function leftOut(lists: readonly ServerList[]): readonly object[] {
  return lists.flatMap(({ entry, mask, ...list }) =>
    [...list.leftOut, ...list.heldBack].map(({ name, reason, ...one }) => ({
      ...{ server: entry.id, ...one },
      ...(name === undefined ? {} : { name: mask(name) }),
      reason: mask(reason),
    })),
  );
}

function reportLeftOut(output: Output, lists: readonly ServerList[]): void {
  for (const { entry, leftOut: refused, heldBack } of lists) {
    const name = quoteIfNeeded(entry.id);
    const next = `Run: ${testCommand(entry)}`;
    if (refused.length > 0)
      output.report(`${name}: ${count(refused)} quarantined because no client can use ${pronoun(refused)}. ${next}`);
    const until = 'until you trust the new or changed definitions';
    if (heldBack.length > 0)
      output.report(`${name}: ${count(heldBack)} quarantined ${until}. Run: ${trustToolsCommand(entry)}`);
  }
}

function pronoun(tools: readonly object[]): string {
  return tools.length === 1 ? 'it' : 'them';
}

function count(tools: readonly object[]): string {
  return tools.length === 1 ? '1 tool is' : `${tools.length} tools are`;
}
