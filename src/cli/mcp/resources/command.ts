import { programName } from '../../../base/program-name.ts';
import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { type ArgumentRules, parseArguments, usageError } from '../../arguments/parse-arguments.ts';
import type { CommandContext } from '../../command-context.ts';
import { formatBytes } from '../../terminal/byte-size.ts';
import { parseListRequest } from '../listing/list-request.ts';
import { type ListedItem, type ListRequest, printList } from '../listing/print-list.ts';
import { parseRequestOptions, REQUEST_FLAGS, REQUEST_OPTIONS } from '../listing/request-options.ts';
import { runSubcommand } from '../subcommand.ts';
import { takeCommand, typedServer } from '../target/typed-server.ts';
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
  await runSubcommand(`${programName()} mcp resources`, args, {
    list: async (rest) => {
      await listResources('resources', parseListRequest(rest, LIST, context));
    },
    templates: async (rest) => {
      await listResources('resourceTemplates', parseListRequest(rest, TEMPLATES, context));
    },
    read: async (rest) => {
      const command = takeCommand(rest);
      const parsed = parseArguments(command?.args ?? rest, READ);
      const [first = '', second] = parsed.positionals;
      if (command !== undefined && second !== undefined)
        throw usageError(READ, `Unexpected argument ${quoteIfNeeded(second)}.`);
      // A single URL is the resource.
      const typed = second === undefined ? command?.entry : typedServer(first, command, READ);
      await readResource({
        id: second === undefined ? undefined : first,
        uri: second ?? first,
        typed,
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
