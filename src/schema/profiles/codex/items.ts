import { isObject } from '../json.ts';
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

/** Codex makes a list of texts of every list that does not say what is in it. */
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
    // The end of what `writeAnything` begins.
    writer.text += '{}';
  } else {
    enter(writer, 'items');
    writer.write(writer, items, { depth: keywords.context.depth + 1, knownTypes: undefined });
    leave(writer, 1);
  }
  writer.separator = ',';
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

function tupleOf({ items, prefixItems, additionalItems, maxItems }: SchemaKeywords): Tuple | undefined {
  const members: unknown = Array.isArray(items) ? items : prefixItems;
  if (!Array.isArray(members)) return undefined;
  const isWhole = typeof maxItems === 'number' && maxItems <= members.length;
  if (members === items) {
    return { keyword: 'items', members, restKeyword: 'additionalItems', rest: isWhole ? false : additionalItems };
  }
  return { keyword: 'prefixItems', members, restKeyword: 'items', rest: isWhole ? false : items };
}

/** Every item may be what some item may be: Codex drops a tool with a schema for each of them. */
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
  // A member that is left out would be refused, so too many members mean that every item may be anything.
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
