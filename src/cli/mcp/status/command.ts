import { programName } from '../../../base/program-name.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, type Arguments, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import { type CommandContext, environmentOf } from '../../command-context.ts';
import { toJson } from '../../output.ts';
import { createStyle } from '../../terminal/style.ts';
import { readAllStatus } from './all-servers.ts';
import { newServersText } from './new-servers.ts';
import type { StatusSnapshot } from './snapshot.ts';

const RULES: ArgumentRules = {
  command: 'switchboard mcp status',
  positionals: ['[id]'],
  requiredPositionals: 0,
  options: ['--count'],
  flags: ['--watch'],
};

/** Runs `switchboard mcp status [id]`: shows the current state of the servers of every running instance. */
export async function mcpStatus(args: readonly string[], context: CommandContext): Promise<void> {
  const parsed = parseArguments(args, RULES);
  const [id] = parsed.positionals;
  const count = parseCount(parsed);
  const environment = environmentOf(context);
  const read = async (signal?: AbortSignal): Promise<StatusSnapshot> => {
    if (id === undefined) return readAllStatus(environment, signal);
    return (await import('./one-server.ts')).readServerStatus(id, environment, signal);
  };
  if (!parsed.has('--watch')) {
    printSnapshot(await read(), { context, isJson: parsed.isJson });
    if (id === undefined && !parsed.isJson) await mentionNewServers(context);
    return;
  }
  const { watchStatus } = await import('./watch.ts');
  await watchStatus({ read, output: context.output, isJson: parsed.isJson, count });
}

/** Prints what bare `switchboard` shows on a terminal: the status, and everything else that needs attention. */
export async function showStatus(context: CommandContext): Promise<void> {
  const snapshot = await readAllStatus(environmentOf(context));
  printSnapshot({ ...snapshot, lines: snapshot.briefLines ?? snapshot.lines }, { context, isJson: false });
  // Includes new servers of clients.
  const { attentionText } = await import('../../doctor/attention.ts');
  const attention = await attentionText(context, snapshot.connected);
  if (attention !== undefined) context.output.answer(`\n${attention}`);
  context.output.answer(`\n${nextSteps()}`);
}

function nextSteps(): string {
  const commands = ['doctor', 'status <id>', '--help'].map((rest) => `${programName()} ${rest}`);
  return `More: ${commands.join(' · ')}`;
}

async function mentionNewServers(context: CommandContext): Promise<void> {
  for (const line of await newServersText(environmentOf(context))) context.output.report(line);
}

/** Exit status when a config file is unreadable. */
const CONFIG_INVALID = 7;

function printSnapshot(
  { document, lines, warnings, isComplete }: StatusSnapshot,
  { context: { output, env }, isJson }: { readonly context: CommandContext; readonly isJson: boolean },
): void {
  if (!isComplete) process.exitCode = CONFIG_INVALID;
  if (isJson) return void output.answer(toJson(document));
  for (const complaint of warnings) output.report(complaint);
  const style = createStyle({ isTerminal: output.screen !== undefined, env });
  output.answer(lines(output.screen?.size().columns, Date.now(), style).join('\n'));
}

function parseCount(parsed: Arguments): number | undefined {
  const text = parsed.value('--count');
  if (text === undefined) return undefined;
  if (!parsed.has('--watch')) throw usageError(RULES, '--count requires --watch.');
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw usageError(RULES, `--count must be a whole number of at least 1, not ${quoteIfNeeded(text)}.`);
}
