import { type ArgumentRules, parseArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../command-context.ts';
import { parseRequestOptions, REQUEST_FLAGS, REQUEST_OPTIONS } from '../listing/request-options.ts';
import { runSubcommand } from '../subcommand.ts';
import { listResources } from './list.ts';
import { readResource } from './read.ts';

const LIST: ArgumentRules = {
  command: 'switchboard mcp resources list',
  positionals: ['[server]'],
  requiredPositionals: 0,
  options: REQUEST_OPTIONS,
  flags: REQUEST_FLAGS,
};
const TEMPLATES: ArgumentRules = { ...LIST, command: 'switchboard mcp resources templates' };
const READ: ArgumentRules = {
  command: 'switchboard mcp resources read',
  positionals: ['[server]', '<uri>'],
  requiredPositionals: 1,
  options: ['--output', ...REQUEST_OPTIONS],
  flags: ['--raw', ...REQUEST_FLAGS],
};

/** Runs `switchboard mcp resources list|templates|read`. */
export async function mcpResources(args: readonly string[], context: CommandContext): Promise<void> {
  await runSubcommand('switchboard mcp resources', args, {
    list: async (rest) => {
      const parsed = parseArguments(rest, LIST);
      const options = parseRequestOptions(parsed, LIST, context);
      await listResources('resources', { id: parsed.positionals[0], isJson: parsed.isJson, options });
    },
    templates: async (rest) => {
      const parsed = parseArguments(rest, TEMPLATES);
      const options = parseRequestOptions(parsed, TEMPLATES, context);
      await listResources('resourceTemplates', { id: parsed.positionals[0], isJson: parsed.isJson, options });
    },
    read: async (rest) => {
      const parsed = parseArguments(rest, READ);
      const [first = '', second] = parsed.positionals;
      await readResource({
        id: second === undefined ? undefined : first,
        uri: second ?? first,
        output: parsed.value('--output'),
        isRaw: parsed.has('--raw'),
        isJson: parsed.isJson,
        options: parseRequestOptions(parsed, READ, context),
      });
    },
  });
}
