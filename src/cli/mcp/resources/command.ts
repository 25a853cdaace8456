import { type ArgumentRules, readArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../main.ts';
import { ASK_FLAGS, ASK_VALUES, readAskOptions } from '../listing/request-options.ts';
import { runPart } from '../subcommand.ts';
import { listResources } from './list.ts';
import { readResource } from './read.ts';

const LIST: ArgumentRules = {
  command: 'switchboard mcp resources list',
  words: ['[server]'],
  needed: 0,
  once: ASK_VALUES,
  flags: ASK_FLAGS,
};
const TEMPLATES: ArgumentRules = { ...LIST, command: 'switchboard mcp resources templates' };
const READ: ArgumentRules = {
  command: 'switchboard mcp resources read',
  words: ['[server]', '<uri>'],
  needed: 1,
  once: ['--output', ...ASK_VALUES],
  flags: ['--raw', ...ASK_FLAGS],
};

/** `switchboard mcp resources list|templates|read`. */
export async function mcpResources(args: readonly string[], context: CommandContext): Promise<void> {
  await runPart('switchboard mcp resources', args, {
    list: async (rest) => {
      const asked = readArguments(rest, LIST);
      const options = readAskOptions(asked, LIST, context);
      await listResources('resources', { id: asked.words[0], isJson: asked.isJson, options });
    },
    templates: async (rest) => {
      const asked = readArguments(rest, TEMPLATES);
      const options = readAskOptions(asked, TEMPLATES, context);
      await listResources('resourceTemplates', { id: asked.words[0], isJson: asked.isJson, options });
    },
    read: async (rest) => {
      const asked = readArguments(rest, READ);
      const [first = '', second] = asked.words;
      await readResource({
        id: second === undefined ? undefined : first,
        uri: second ?? first,
        output: asked.value('--output'),
        isRaw: asked.has('--raw'),
        isJson: asked.isJson,
        options: readAskOptions(asked, READ, context),
      });
    },
  });
}
