import { oneLine } from '../../../base/text/safe-text.ts';
import { escapeInvisible, quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { formatBytes } from '../../terminal/byte-size.ts';
import { type ListedItem, type ListRequest, printList } from '../listing/print-list.ts';
import { firstSentence, nonBlank, parseDefinition } from '../tools/describe-tool.ts';
import { withDescription } from '../tools/tool-line.ts';

/** Runs `switchboard mcp resources list|templates [server]`, one line each, beginning with the arguments of `read`. */
export async function listResources(kind: 'resources' | 'resourceTemplates', request: ListRequest): Promise<void> {
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
