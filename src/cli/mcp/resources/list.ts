import { oneLine } from '../../../base/text/safe-text.ts';
import { visible, visibleWord } from '../../../base/text/visible-text.ts';
import { shownSize } from '../../terminal/byte-size.ts';
import { answerList, type ListedItem, type ListRequest } from '../listing/print-list.ts';
import { firstSentence, membersOf, textOf } from '../tools/describe-tool.ts';
import { withSentence } from '../tools/tool-line.ts';

/** `switchboard mcp resources list|templates [server]`: one line each, beginning with what `read` takes. */
export async function listResources(kind: 'resources' | 'resourceTemplates', request: ListRequest): Promise<void> {
  const word = kind === 'resources' ? 'resources' : 'resource templates';
  await answerList(kind, request, { word, line: resourceLine, document: resourceDocument });
}

function resourceLine({ server, key, json }: ListedItem, width: number | undefined): string {
  const { name, title, description, mimeType, size } = membersOf(json);
  const facts = [textOf(mimeType), typeof size === 'number' && size >= 0 ? shownSize(size) : undefined];
  const known = facts.flatMap((fact) => (fact === undefined ? [] : visible(oneLine(fact, MAX_FACT))));
  const shown = [textOf(title) ?? textOf(name), textOf(description)].flatMap((text) => text ?? []);
  const head = `${visibleWord(server)} ${visibleWord(key)}${known.length === 0 ? '' : ` (${known.join(', ')})`}`;
  const [first = '', more] = shown.map((text) => visible(firstSentence(text)));
  return withSentence(head, more === undefined || more === first ? first : `${first}: ${more}`, width);
}

const MAX_FACT = 60;

function resourceDocument({ server, json }: ListedItem): object {
  return { server, ...membersOf(json) };
}
