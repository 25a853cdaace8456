import { visibleWord } from '../../../base/text/visible-text.ts';
import { propertyName } from '../../input-schema/type-text.ts';
import { answerList, type ListedItem, type ListRequest } from '../listing/print-list.ts';
import { firstSentence, membersOf, textOf } from '../tools/describe-tool.ts';
import { withSentence } from '../tools/tool-line.ts';
import { declaredArguments } from './arguments.ts';

/** `switchboard mcp prompts list [server]`: one line each: `everything.greet(name, style?)  Greets somebody.` */
export async function listPrompts(request: ListRequest): Promise<void> {
  await answerList('prompts', request, { word: 'prompts', line: promptLine, document: promptDocument });
}

function promptLine({ server, key, json }: ListedItem, width: number | undefined): string {
  const { title, description } = membersOf(json);
  const names = (declaredArguments(json) ?? []).map(
    ({ name, isRequired }) => `${propertyName(name)}${isRequired ? '' : '?'}`,
  );
  const head = `${visibleWord(`${server}.${key}`)}(${names.join(', ')})`;
  return withSentence(head, firstSentence(textOf(description) ?? textOf(title) ?? ''), width);
}

function promptDocument({ server, json }: ListedItem): object {
  return { server, ...membersOf(json) };
}
