import { cut } from '../../../base/text/truncate.ts';
import { tellMore } from './constraint-text.ts';
import type { Parts } from './schema-keywords.ts';
import { lastStep, note, valueText, type Writing } from './schema-writer.ts';

/** What the server says about a schema, and in brackets what else it means that Codex does not keep. */
export function describe(writing: Writing, parts: Parts): string | undefined {
  const { place } = parts;
  const said = readText(writing, parts);
  const more = writing.thrift.tellsMore ? tellRest(writing, parts) : '';
  const isShown = place.depth <= writing.thrift.textDepth;
  if (said === undefined && more === '') return undefined;
  const short = said === undefined ? '' : cut(said, writing.thrift.maxText);
  if (!isShown || short !== (said ?? ''))
    note(writing, 'description shortened', 'over 5000 bytes Codex leaves out all descriptions');
  if (!isShown) return undefined;
  if (more === '') return short;
  note(writing, 'told in words: ', 'Codex drops what says it', more);
  return short === '' ? more : `${short} (${more})`;
}

/** Cheap: most schemas have nothing to tell but what they say. */
export function hasText(parts: Parts): boolean {
  return (
    parts.description !== undefined ||
    parts.more !== undefined ||
    parts.title !== undefined ||
    hasMoreThanKeywords(parts)
  );
}

/** Whether something is to be told that no single keyword says. */
function hasMoreThanKeywords({ choices, $ref, reference, nullable, items, prefixItems }: Parts): boolean {
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

/** A title stands in for a description, unless it only repeats the name. */
function readText(writing: Writing, { description, title }: Parts): string | undefined {
  if (typeof description === 'string') return description;
  if (description !== undefined) {
    note(writing, 'description became text', 'Codex drops a tool whose descriptions are not text');
    return description === null ? undefined : cut(valueText(writing, 'description', description) ?? '…', MAX_NOTE);
  }
  if (typeof title !== 'string' || simplify(title) === simplify(lastStep(writing))) return undefined;
  note(writing, 'title became description', 'Codex drops titles');
  return title;
}

function simplify(name: string): string {
  return name.replace(/[\W_]+/g, '').toLowerCase();
}

function tellRest(writing: Writing, parts: Parts): string {
  const more = parts.more === undefined ? '' : tellMore(writing, parts.schema, parts.more);
  if (!hasMoreThanKeywords(parts)) return more;
  const words: string[] = [];
  const { $ref, nullable, type, anyOf, oneOf } = parts;
  const tuple = [parts.items, parts.prefixItems].find((items) => Array.isArray(items));
  if (parts.choices !== undefined) words.push(`one of ${cut(parts.choices, MAX_NOTE)}`);
  if (typeof $ref === 'string' && parts.reference === undefined) words.push(`see ${cut($ref, MAX_NOTE)}`);
  if (Array.isArray(tuple)) words.push(`in this order: ${cut(tuple.map(wordFor).join(', '), MAX_NOTE)}`);
  if (parts.items === false) words.push(tuple === undefined ? 'no items' : 'no more items');
  if (nullable === true && type === undefined && anyOf === undefined && oneOf === undefined) words.push('or null');
  words.push(more);
  return words.filter((word) => word !== '').join('; ');
}

function wordFor(member: unknown): string {
  const type: unknown = typeof member === 'object' && member !== null ? Reflect.get(member, 'type') : undefined;
  return typeof type === 'string' ? type : 'any';
}
