import { programName } from '../../../base/program-name.ts';
import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, parseArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../command-context.ts';
import { propertyName } from '../../input-schema/type-text.ts';
import { parseListRequest } from '../listing/list-request.ts';
import { type ListedItem, type ListRequest, printList } from '../listing/print-list.ts';
import { parseRequestOptions, REQUEST_FLAGS, REQUEST_OPTIONS } from '../listing/request-options.ts';
import { runSubcommand } from '../subcommand.ts';
import { firstSentence, nonBlank, parseDefinition } from '../tools/describe-tool.ts';
import { withDescription } from '../tools/tool-line.ts';
import { declaredArguments, splitPairs } from './arguments.ts';
import { getPrompt } from './get.ts';

const LIST: ArgumentRules = {
  command: 'switchboard mcp prompts list',
  positionals: ['[server]'],
  requiredPositionals: 0,
  options: REQUEST_OPTIONS,
  flags: REQUEST_FLAGS,
};
const GET: ArgumentRules = {
  command: 'switchboard mcp prompts get',
  positionals: ['<server>.<prompt>'],
  requiredPositionals: 1,
  options: REQUEST_OPTIONS,
  flags: REQUEST_FLAGS,
};

/** Runs `switchboard mcp prompts list|get`. */
export async function mcpPrompts(args: readonly string[], context: CommandContext): Promise<void> {
  await runSubcommand(`${programName()} mcp prompts`, args, {
    list: async (rest) => {
      await listPrompts(parseListRequest(rest, LIST, context));
    },
    get: async (rest) => {
      const { pairs, others } = splitPairs(rest, GET);
      const parsed = parseArguments(others, GET);
      const [name = ''] = parsed.positionals;
      await getPrompt({ name, pairs, isJson: parsed.isJson, options: parseRequestOptions(parsed, GET, context) });
    },
  });
}

/** Runs `switchboard mcp prompts list [server]`, one line each: `everything.greet(name, style?)  Greets somebody.` */
async function listPrompts(request: ListRequest): Promise<void> {
  await printList('prompts', request, { word: 'prompts', line: promptLine, document: promptDocument });
}

function promptLine({ server, key, json }: ListedItem, width: number | undefined): string {
  const { title, description } = parseDefinition(json);
  const names = (declaredArguments(json) ?? []).map(
    ({ name, isRequired }) => `${propertyName(name)}${isRequired ? '' : '?'}`,
  );
  const head = `${quoteIfNeeded(`${server}.${key}`)}(${names.join(', ')})`;
  return withDescription(head, firstSentence(nonBlank(description) ?? nonBlank(title) ?? ''), width);
}

function promptDocument({ server, json }: ListedItem): object {
  return { server, ...parseDefinition(json) };
}
