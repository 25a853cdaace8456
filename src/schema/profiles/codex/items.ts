import { isObject } from '../json.ts';
import type { Parts } from './parts.ts';
import { isEveryType } from './types.ts';
import { capture, type Inner, isFull, note, type Place, type Writing, writeAnything } from './writing.ts';

/** Codex makes a list of texts of every list that does not say what is in it. */
export function writeItems(writing: Writing, parts: Parts, inner: Inner): void {
  const { items } = parts;
  const tuple = tupleOf(parts);
  const isList = inner.types?.includes('array') === true;
  if (items === undefined && tuple === undefined && !isList) return;
  writing.text += `${writing.separator}"items":`;
  if (tuple !== undefined) writeTuple(writing, tuple, inner);
  else if (items === undefined) {
    const isAnything = isEveryType(inner.types);
    if (!isAnything || parts.type !== undefined) note(writing, 'items of every type added', NO_ITEMS);
    if (isAnything) writing.text += '{}';
    else writeAnything(writing);
  } else if (isEveryType(inner.types) && isEmpty(items)) {
    // The end of what `writeAnything` begins.
    writing.text += '{}';
  } else {
    writing.path.push('items');
    inner.write(writing, items, { depth: inner.place.depth + 1, name: '', known: undefined });
    writing.path.length -= 1;
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
function writeTuple(writing: Writing, { keyword, members, restKeyword, rest }: Tuple, inner: Inner): void {
  note(writing, `${keyword} became one schema for every item`, 'Codex drops the tool, or makes the items text');
  const { path } = writing;
  const place: Place = { depth: inner.place.depth + 1, name: '', known: undefined };
  const texts = new Set<string>();
  for (let index = 0; index < members.length && !isFull(writing) && texts.size <= writing.thrift.maxChoices; index++) {
    path.push(keyword, String(index));
    texts.add(capture(writing, () => inner.write(writing, members[index], place)));
    path.length -= 2;
  }
  if (texts.size > writing.thrift.maxChoices) texts.clear();
  if (rest !== false || texts.size === 0) {
    path.push(restKeyword);
    texts.add(capture(writing, () => (isObject(rest) ? inner.write(writing, rest, place) : writeAnything(writing))));
    path.length -= 1;
  }
  const [only] = texts;
  writing.text += texts.size === 1 && only !== undefined ? only : `{"anyOf":[${[...texts].join(',')}]}`;
}
