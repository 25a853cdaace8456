import { type ArgumentRules, readArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import { ASK_FLAGS, ASK_VALUES, readAskOptions } from '../listing/request-options.ts';
import { runPart } from '../subcommand.ts';
import { splitPairs } from './arguments.ts';
import { getPrompt } from './get.ts';
import { listPrompts } from './list.ts';

const LIST: ArgumentRules = {
  command: 'switchboard mcp prompts list',
  words: ['[server]'],
  needed: 0,
  once: ASK_VALUES,
  flags: ASK_FLAGS,
};
const GET: ArgumentRules = {
  command: 'switchboard mcp prompts get',
  words: ['<server>.<prompt>'],
  needed: 1,
  once: ASK_VALUES,
  flags: ASK_FLAGS,
};

/** `switchboard mcp prompts list|get`. */
export async function mcpPrompts(args: readonly string[], context: CommandContext): Promise<void> {
  await runPart('switchboard mcp prompts', args, {
    list: async (rest) => {
      const asked = readArguments(rest, LIST);
      const options = readAskOptions(asked, LIST, context);
      await listPrompts({ id: asked.words[0], isJson: asked.isJson, options });
    },
    get: async (rest) => {
      const { pairs, others } = splitPairs(rest, GET);
      const asked = readArguments(others, GET);
      const [name = ''] = asked.words;
      await getPrompt({ name, pairs, isJson: asked.isJson, options: readAskOptions(asked, GET, context) });
    },
  });
}
