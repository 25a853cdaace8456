import { quoteIfNeeded } from '../../../base/text/visible-text.ts';
import { propertyName } from '../../input-schema/type-text.ts';
import { type ListedItem, type ListRequest, printList } from '../listing/print-list.ts';
import { firstSentence, nonBlank, parseDefinition } from '../tools/describe-tool.ts';
import { withDescription } from '../tools/tool-line.ts';
import { declaredArguments } from './arguments.ts';

/** Runs `switchboard mcp prompts list [server]`, one line each: `everything.greet(name, style?)  Greets somebody.` */
export async function listPrompts(request: ListRequest): Promise<void> {
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
