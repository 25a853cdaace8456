import { visibleWord } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, type Arguments, fail, readArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import { toJson } from '../config/change-result.ts';
import { surroundingsOf } from '../config/definitions.ts';
import { lookAtAll } from './all-servers.ts';
import type { Picture } from './snapshot.ts';

const RULES: ArgumentRules = {
  command: 'switchboard mcp status',
  words: ['[id]'],
  needed: 0,
  once: ['--count'],
  flags: ['--watch'],
};

/** `switchboard mcp status [id]`: how the servers of everything that runs here are, now. */
export async function mcpStatus(args: readonly string[], context: CommandContext): Promise<void> {
  const asked = readArguments(args, RULES);
  const [id] = asked.words;
  const count = readCount(asked);
  const surroundings = surroundingsOf(context);
  const look = async (signal?: AbortSignal): Promise<Picture> => {
    if (id === undefined) return lookAtAll(surroundings, signal);
    return (await import('./one-server.ts')).lookAtOne(id, surroundings, signal);
  };
  if (!asked.has('--watch')) return show(await look(), { context, isJson: asked.isJson });
  const { watchStatus } = await import('./watch.ts');
  await watchStatus({ look, output: context.output, isJson: asked.isJson, count });
}

/** What bare `switchboard` shows on a terminal. */
export async function showStatus(context: CommandContext): Promise<void> {
  show(await lookAtAll(surroundingsOf(context)), { context, isJson: false });
  context.output.answer(`\n${NEXT_STEPS}`);
}

const NEXT_STEPS = 'More: switchboard mcp status <id> · switchboard mcp --help · switchboard --help';

/** The exit status when a file that should tell of servers cannot be read. */
const CONFIG_INVALID = 7;

function show(
  { document, lines, complaints, isWhole }: Picture,
  { context: { output }, isJson }: { readonly context: CommandContext; readonly isJson: boolean },
): void {
  if (!isWhole) process.exitCode = CONFIG_INVALID;
  if (isJson) return void output.answer(toJson(document));
  for (const complaint of complaints) output.complain(complaint);
  output.answer(lines(output.screen?.size().columns, Date.now()).join('\n'));
}

function readCount(asked: Arguments): number | undefined {
  const text = asked.value('--count');
  if (text === undefined) return undefined;
  if (!asked.has('--watch')) throw fail(RULES, '--count goes with --watch.');
  const count = Number(text);
  if (Number.isSafeInteger(count) && count > 0) return count;
  throw fail(RULES, `--count takes a whole number from 1 on, not ${visibleWord(text)}.`);
}
