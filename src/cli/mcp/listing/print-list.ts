import { maskJson } from '../../../base/redaction/redact-json.ts';
import type { DefinitionKind } from '../../../schema/definitions/definition-kinds.ts';
import { toJson } from '../config/change-result.ts';
import { answerWidth } from '../tools/tool-line.ts';
import { chooseServers } from './choose-servers.ts';
import { nothingListed } from './empty-list.ts';
import { failureDocuments, failuresOf, tellFailures, worstFailure } from './failures.ts';
import { type AskOptions, listEach, type ServerList } from './list-servers.ts';

export interface ListRequest {
  /** Undefined: of all servers that can be used. */
  readonly id: string | undefined;
  readonly isJson: boolean;
  readonly options: AskOptions;
}

interface Shape {
  /** What they are called in a sentence. */
  readonly word: string;
  line(item: ListedItem, width: number | undefined): string;
  document(item: ListedItem): object;
}

export interface ListedItem {
  readonly server: string;
  readonly key: string;
  readonly json: string;
}

/** Answers with one line, or one object, for each thing that is listed; what failed is told beside it. */
export async function answerList(
  kind: DefinitionKind,
  { id, isJson, options }: ListRequest,
  { word, line, document }: Shape,
): Promise<void> {
  const { output } = options.context;
  const choice = await chooseServers(id, options.context, options);
  const lists = await listEach(kind, choice.entries, options);
  const items = lists.flatMap(itemsOf);
  const failures = failuresOf(choice, lists);
  const failure = worstFailure(failures, choice.entries.length + choice.broken.length);
  if (isJson) {
    const { skipped } = choice;
    output.answer(toJson({ [kind]: items.map(document), skipped, failures: failureDocuments(failures) }));
  } else {
    tellFailures(output, choice, failures);
    const width = answerWidth(process.stdout);
    if (items.length > 0) output.answer(items.map((item) => line(item, width)).join('\n'));
    else if (failure === undefined) output.answer(nothingListed(word, choice, lists));
  }
  if (failure !== undefined) throw failure;
}

function itemsOf({ entry, items, mask }: ServerList): readonly ListedItem[] {
  return items.map(({ key, json }) => ({ server: entry.id, key: mask(key), json: maskJson(json, mask) }));
}
