import { redactJson } from '../../../base/redaction/redact-json.ts';
import type { ServerEntry } from '../../../config/server-entry.ts';
import type { DefinitionKind } from '../../../schema/definitions/definition-kinds.ts';
import { toJson } from '../../output.ts';
import { listWidth } from '../tools/tool-line.ts';
import { chooseServers, onlyServer } from './choose-servers.ts';
import { emptyListText } from './empty-list.ts';
import { failureDocuments, failuresOf, reportFailures, worstFailure } from './failures.ts';
import { listFromAll, type RequestOptions, type ServerList } from './list-servers.ts';

export interface ListRequest {
  /** Undefined lists all usable servers. */
  readonly id: string | undefined;
  /** A server that was typed instead of configured. */
  readonly typed?: ServerEntry | undefined;
  readonly isJson: boolean;
  readonly options: RequestOptions;
}

interface ListFormat {
  /** The plural noun for the items. */
  readonly word: string;
  line(item: ListedItem, width: number | undefined): string;
  document(item: ListedItem): object;
}

export interface ListedItem {
  readonly server: string;
  readonly key: string;
  readonly json: string;
}

/** Prints one line, or one object, per item, and reports failures separately. */
export async function printList(
  kind: DefinitionKind,
  { id, typed, isJson, options: given }: ListRequest,
  { word, line, document }: ListFormat,
): Promise<void> {
  const { output } = given.context;
  const options = typed === undefined ? given : { ...given, isDirect: true };
  const choice = typed === undefined ? await chooseServers(id, given.context, given) : onlyServer(typed);
  const lists = await listFromAll(kind, choice.entries, options);
  const items = lists.flatMap(itemsOf);
  const failures = failuresOf(choice, lists);
  const failure = worstFailure(failures, choice.entries.length + choice.broken.length);
  if (isJson) {
    const { skipped } = choice;
    output.answer(toJson({ [kind]: items.map(document), skipped, failures: failureDocuments(failures) }));
  } else {
    reportFailures(output, choice, failures);
    const width = listWidth(output);
    if (items.length > 0) output.answer(items.map((item) => line(item, width)).join('\n'));
    else if (failure === undefined) output.answer(emptyListText(word, choice, lists));
  }
  if (failure !== undefined) throw failure;
}

function itemsOf({ entry, items, mask }: ServerList): readonly ListedItem[] {
  return items.map(({ key, json }) => ({ server: entry.id, key: mask(key), json: redactJson(json, mask) }));
}
