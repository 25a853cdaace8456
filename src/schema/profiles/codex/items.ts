import { isObject } from '../../../wire/messages.ts';
import type { SchemaKeywords } from './schema-keywords.ts';
import {
  capture,
  enter,
  leave,
  recordRewrite,
  type SchemaContext,
  type SchemaWriter,
  writeAnything,
} from './schema-writer.ts';
import { isEveryType } from './types.ts';

/** Writes `items`. Without it, Codex treats every list as a list of strings. */
export function writeItems(writer: SchemaWriter, keywords: SchemaKeywords): void {
  const { items } = keywords;
  const tuple = tupleOf(keywords);
  const isList = keywords.types?.includes('array') === true;
  if (items === undefined && tuple === undefined && !isList) return;
  writer.text += `${writer.separator}"items":`;
  if (tuple !== undefined) writeTuple(writer, tuple, keywords.context);
  else if (items === undefined) {
    const isAnything = isEveryType(keywords.types);
    if (!isAnything || keywords.type !== undefined) recordRewrite(writer, 'items of every type added', NO_ITEMS);
    if (isAnything) writer.text += '{}';
    else writeAnything(writer);
  } else if (isEveryType(keywords.types) && isEmpty(items)) {
    // Keeps the empty `items` that `writeAnything` writes.
    writer.text += '{}';
  } else {
    enter(writer, 'items');
    writer.write(writer, items, { depth: keywords.context.depth + 1, knownTypes: undefined });
    leave(writer, 1);
  }
  writer.separator = ',';
}

const NO_ITEMS = 'Codex treats them as text if nothing is specified';

function isEmpty(items: unknown): boolean {
  return isObject(items) && Object.keys(items).length === 0;
}

interface Tuple {
  readonly keyword: 'items' | 'prefixItems';
  readonly members: readonly unknown[];
  /** The keyword for items after the members; `rest` is false if there may be none. */
  readonly restKeyword: 'additionalItems' | 'items';
  readonly rest: unknown;
}

function tupleOf({ items, prefixItems, additionalItems, maxItems }: SchemaKeywords): Tuple | undefined {
  const members: unknown = Array.isArray(items) ? items : prefixItems;
  if (!Array.isArray(members)) return undefined;
  const isWhole = typeof maxItems === 'number' && maxItems <= members.length;
  if (members === items) {
    return { keyword: 'items', members, restKeyword: 'additionalItems', rest: isWhole ? false : additionalItems };
  }
  return { keyword: 'prefixItems', members, restKeyword: 'items', rest: isWhole ? false : items };
}

/** Writes one schema that accepts any item of the tuple: Codex drops a tool with a schema for each item. */
function writeTuple(
  writer: SchemaWriter,
  { keyword, members, restKeyword, rest }: Tuple,
  { depth }: SchemaContext,
): void {
  recordRewrite(writer, `${keyword} became one schema for every item`, 'Codex drops the tool, or makes the items text');
  const context: SchemaContext = { depth: depth + 1, knownTypes: undefined };
  const { maxBytes, maxBranches } = writer.budget;
  const texts = new Set<string>();
  let length = 0;
  let index = 0;
  for (; index < members.length && length <= maxBytes && texts.size <= maxBranches; index++) {
    enter(writer, keyword, String(index));
    const text = capture(writer, () => writer.write(writer, members[index], context));
    leave(writer, 2);
    if (!texts.has(text)) length += text.length;
    texts.add(text);
  }
  // Leaving out a member would reject its values, so with too many members every item may be anything.
  if (index < members.length || texts.size > maxBranches) {
    writeAnything(writer);
    return;
  }
  if (rest !== false || texts.size === 0) {
    enter(writer, restKeyword);
    texts.add(capture(writer, () => (isObject(rest) ? writer.write(writer, rest, context) : writeAnything(writer))));
    leave(writer, 1);
  }
  const [only] = texts;
  writer.text += texts.size === 1 && only !== undefined ? only : `{"anyOf":[${[...texts].join(',')}]}`;
}
