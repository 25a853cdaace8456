import { type ArgumentRules, parseArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../command-context.ts';
import { parseRequestOptions, REQUEST_FLAGS, REQUEST_OPTIONS } from '../listing/request-options.ts';
import { runSubcommand } from '../subcommand.ts';
import { splitPairs } from './arguments.ts';
import { getPrompt } from './get.ts';
import { listPrompts } from './list.ts';

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
  await runSubcommand('switchboard mcp prompts', args, {
    list: async (rest) => {
      const parsed = parseArguments(rest, LIST);
      const options = parseRequestOptions(parsed, LIST, context);
      await listPrompts({ id: parsed.positionals[0], isJson: parsed.isJson, options });
    },
    get: async (rest) => {
      const { pairs, others } = splitPairs(rest, GET);
      const parsed = parseArguments(others, GET);
      const [name = ''] = parsed.positionals;
      await getPrompt({ name, pairs, isJson: parsed.isJson, options: parseRequestOptions(parsed, GET, context) });
    },
  });
}
