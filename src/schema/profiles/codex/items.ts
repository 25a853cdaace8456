import { isObject } from '../json.ts';
import type { Parts } from './schema-keywords.ts';
import { capture, enter, leave, note, type Place, type Writing, writeAnything } from './schema-writer.ts';
import { isEveryType } from './types.ts';

/** Codex makes a list of texts of every list that does not say what is in it. */
export function writeItems(writing: Writing, parts: Parts): void {
  const { items } = parts;
  const tuple = tupleOf(parts);
  const isList = parts.types?.includes('array') === true;
  if (items === undefined && tuple === undefined && !isList) return;
  writing.text += `${writing.separator}"items":`;
  if (tuple !== undefined) writeTuple(writing, tuple, parts.place);
  else if (items === undefined) {
    const isAnything = isEveryType(parts.types);
    if (!isAnything || parts.type !== undefined) note(writing, 'items of every type added', NO_ITEMS);
    if (isAnything) writing.text += '{}';
    else writeAnything(writing);
  } else if (isEveryType(parts.types) && isEmpty(items)) {
    // The end of what `writeAnything` begins.
    writing.text += '{}';
  } else {
    enter(writing, 'items');
    writing.write(writing, items, { depth: parts.place.depth + 1, known: undefined });
    leave(writing, 1);
  }
  writing.separator = ',';
}

const NO_ITEMS = 'Codex makes them text where nothing is said';

function isEmpty(items: unknown): boolean {
  return isObject(items) && Object.keys(items).length === 0;
}

interface Tuple {
  readonly keyword: 'items' | 'prefixItems';
  readonly members: readonly unknown[];
  /** What may follow the members: false when nothing may. */
  readonly restKeyword: 'additionalItems' | 'items';
  readonly rest: unknown;
}

function tupleOf({ items, prefixItems, additionalItems, maxItems }: Parts): Tuple | undefined {
  const members: unknown = Array.isArray(items) ? items : prefixItems;
  if (!Array.isArray(members)) return undefined;
  const isWhole = typeof maxItems === 'number' && maxItems <= members.length;
  if (members === items) {
    return { keyword: 'items', members, restKeyword: 'additionalItems', rest: isWhole ? false : additionalItems };
  }
  return { keyword: 'prefixItems', members, restKeyword: 'items', rest: isWhole ? false : items };
}

/** Every item may be what some item may be: Codex drops a tool with a schema for each of them. */
function writeTuple(writing: Writing, { keyword, members, restKeyword, rest }: Tuple, { depth }: Place): void {
  note(writing, `${keyword} became one schema for every item`, 'Codex drops the tool, or makes the items text');
  const place: Place = { depth: depth + 1, known: undefined };
  const { maxBytes, maxBranches } = writing.thrift;
  const texts = new Set<string>();
  let length = 0;
  let index = 0;
  for (; index < members.length && length <= maxBytes && texts.size <= maxBranches; index++) {
    enter(writing, keyword, String(index));
    const text = capture(writing, () => writing.write(writing, members[index], place));
    leave(writing, 2);
    if (!texts.has(text)) length += text.length;
    texts.add(text);
  }
  // A member that is left out would be refused, so too many members mean that every item may be anything.
  if (index < members.length || texts.size > maxBranches) {
    writeAnything(writing);
    return;
  }
  if (rest !== false || texts.size === 0) {
    enter(writing, restKeyword);
    texts.add(capture(writing, () => (isObject(rest) ? writing.write(writing, rest, place) : writeAnything(writing))));
    leave(writing, 1);
  }
  const [only] = texts;
  writing.text += texts.size === 1 && only !== undefined ? only : `{"anyOf":[${[...texts].join(',')}]}`;
}
