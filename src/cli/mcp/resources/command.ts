import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, parseArguments } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../command-context.ts';
import { formatBytes } from '../../terminal/byte-size.ts';
import { type ListedItem, type ListRequest, printList } from '../listing/print-list.ts';
import { parseRequestOptions, REQUEST_FLAGS, REQUEST_OPTIONS } from '../listing/request-options.ts';
import { runSubcommand } from '../subcommand.ts';
import { firstSentence, nonBlank, parseDefinition } from '../tools/describe-tool.ts';
import { withDescription } from '../tools/tool-line.ts';
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

/** Runs `switchboard mcp resources list|templates [server]`, one line each, beginning with the arguments of `read`. */
async function listResources(kind: 'resources' | 'resourceTemplates', request: ListRequest): Promise<void> {
  const word = kind === 'resources' ? 'resources' : 'resource templates';
  await printList(kind, request, { word, line: resourceLine, document: resourceDocument });
}

function resourceLine({ server, key, json }: ListedItem, width: number | undefined): string {
  const { name, title, description, mimeType, size } = parseDefinition(json);
  const facts = [nonBlank(mimeType), typeof size === 'number' && size >= 0 ? formatBytes(size) : undefined];
  const known = facts.flatMap((fact) => (fact === undefined ? [] : escapeInvisible(oneLine(fact, MAX_FACT))));
  const shown = [nonBlank(title) ?? nonBlank(name), nonBlank(description)].flatMap((text) => text ?? []);
  const head = `${quoteIfNeeded(server)} ${quoteIfNeeded(key)}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
  const [first = '', more] = shown.map((text) => escapeInvisible(firstSentence(text)));
  return withDescription(head, more === undefined || more === first ? first : `${first}: ${more}`, width);
}

const MAX_FACT = 60;

function resourceDocument({ server, json }: ListedItem): object {
  return { server, ...parseDefinition(json) };
}
