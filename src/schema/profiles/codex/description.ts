import { truncate } from '../../../base/text/truncate.ts';
import { describeConstraints } from './constraint-text.ts';
import type { SchemaKeywords } from './schema-keywords.ts';
import { lastPathStep, recordRewrite, type SchemaWriter, valueText } from './schema-writer.ts';

/** Returns the server's description of a schema, followed in brackets by the meaning that Codex does not keep. */
export function describeSchema(writer: SchemaWriter, keywords: SchemaKeywords): string | undefined {
  const { context } = keywords;
  const text = readText(writer, keywords);
  const more = writer.budget.describesConstraints ? describeRest(writer, keywords) : '';
  const isShown = context.depth <= writer.budget.textDepth;
  if (text === undefined && more === '') return undefined;
  const short = text === undefined ? '' : truncate(text, writer.budget.maxText);
  if (!isShown || short !== (text ?? ''))
    recordRewrite(writer, 'description shortened', 'over 5000 bytes Codex leaves out all descriptions');
  if (!isShown) return undefined;
  if (more === '') return short;
  recordRewrite(writer, 'described in words: ', 'Codex drops the keywords for it', more);
  return short === '' ? more : `${short} (${more})`;
}

/** Returns whether a schema may need a description. A cheap check, because most schemas have nothing to add. */
export function hasText(keywords: SchemaKeywords): boolean {
  return (
    keywords.description !== undefined ||
    keywords.describable !== undefined ||
    keywords.title !== undefined ||
    hasDerivedText(keywords)
  );
}

/** Returns whether the description must contain something that no single keyword states. */
function hasDerivedText({ choices, $ref, reference, nullable, items, prefixItems }: SchemaKeywords): boolean {
  return (
    choices !== undefined ||
    ($ref !== undefined && reference === undefined) ||
    nullable !== undefined ||
    prefixItems !== undefined ||
    items === false ||
    Array.isArray(items)
  );
}

const MAX_NOTE = 200;

/** Returns the description, or else the title, unless it only repeats the name. */
function readText(writer: SchemaWriter, { description, title }: SchemaKeywords): string | undefined {
  if (typeof description === 'string') return description;
  if (description !== undefined) {
    recordRewrite(writer, 'description became text', 'Codex drops a tool whose descriptions are not text');
    return description === null ? undefined : truncate(valueText(writer, 'description', description) ?? '…', MAX_NOTE);
  }
  if (typeof title !== 'string' || simplify(title) === simplify(lastPathStep(writer))) return undefined;
  recordRewrite(writer, 'title became description', 'Codex drops titles');
  return title;
}

function simplify(name: string): string {
  return name.replace(/[\W_]+/g, '').toLowerCase();
}

function describeRest(writer: SchemaWriter, keywords: SchemaKeywords): string {
  const more =
    keywords.describable === undefined ? '' : describeConstraints(writer, keywords.schema, keywords.describable);
  if (!hasDerivedText(keywords)) return more;
  const words: string[] = [];
  const { $ref, nullable, type, anyOf, oneOf } = keywords;
  const tuple = [keywords.items, keywords.prefixItems].find((items) => Array.isArray(items));
  if (keywords.choices !== undefined) words.push(`one of ${truncate(keywords.choices, MAX_NOTE)}`);
  if (typeof $ref === 'string' && keywords.reference === undefined) words.push(`see ${truncate($ref, MAX_NOTE)}`);
  if (Array.isArray(tuple)) words.push(`in this order: ${truncate(tuple.map(typeWord).join(', '), MAX_NOTE)}`);
  if (keywords.items === false) words.push(tuple === undefined ? 'no items' : 'no more items');
  if (nullable === true && type === undefined && anyOf === undefined && oneOf === undefined) words.push('or null');
  words.push(more);
  return words.filter((word) => word !== '').join('; ');
}

function typeWord(member: unknown): string {
  const type: unknown = typeof member === 'object' && member !== null ? Reflect.get(member, 'type') : undefined;
  return typeof type === 'string' ? type : 'any';
}
