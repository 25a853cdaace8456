import { parseJsonPointer } from '../../../wire/json/json-pointer.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import type { SchemaWriter } from './schema-writer.ts';

/** A part of the schema that some other part references. */
export interface Reference {
  readonly table: '$defs' | 'definitions';
  readonly name: string;
  readonly target: unknown;
  readonly path: readonly string[];
  /** The text of a reference to it. */
  readonly text: string;
}

/**
 * Returns the text of a reference, and registers its target to be written later; undefined if the target is not in this
 * schema.
 */
export function addReference(writer: SchemaWriter, ref: string): string | undefined {
  if (writer.embedded > 0) return undefined;
  writer.referenceTexts ??= new Map();
  const known = writer.referenceTexts.get(ref);
  if (known !== undefined) return known;
  const made = makeReference(writer, ref);
  if (made !== undefined) writer.referenceTexts.set(ref, made);
  return made;
}

function makeReference(writer: SchemaWriter, ref: string): string | undefined {
  const found = resolve(writer, ref);
  if (found === undefined) return undefined;
  const { path, target, fragment } = found;
  if (path.length === 0 && writer.topIsKept) return '#';
  const known = writer.references.find((reference) => reference.target === target);
  if (known !== undefined) return known.text;
  const [table, name, ...deeper] = path;
  const isDefinition = (table === '$defs' || table === 'definitions') && name !== undefined && deeper.length === 0;
  if (isDefinition) writer.references.push({ table, name, target, path, text: fragment });
  else {
    const free = freeName(writer, path.at(-1) ?? 'top');
    writer.references.push({ table: '$defs', name: free, target, path, text: `#/$defs/${free}` });
  }
  return writer.references.at(-1)?.text;
}

export interface Resolved {
  readonly path: readonly string[];
  readonly target: JsonObject | boolean;
  /** The reference as written from inside the schema. */
  readonly fragment: string;
}

/** Resolves a reference inside the schema itself: nothing is ever fetched. Circular references do not resolve. */
export function resolve(
  { root, embedded }: Pick<SchemaWriter, 'root' | 'embedded'>,
  ref: string,
): Resolved | undefined {
  const found = embedded > 0 ? undefined : lookUp(root, ref);
  let last = found;
  for (let hops = 0; last !== undefined; hops++) {
    if (hops === MAX_HOPS) return undefined;
    const next: unknown = typeof last.target === 'object' ? last.target['$ref'] : undefined;
    last = typeof next === 'string' ? lookUp(root, next) : undefined;
  }
  return found;
}

/** More hops mean a cycle. */
const MAX_HOPS = 20;

function lookUp(root: JsonObject, ref: string): Resolved | undefined {
  const path = pathOf(root, ref);
  const target = path && followPath(root, path);
  if (path === undefined || target === undefined) return undefined;
  return { path, target, fragment: ref.slice(Math.max(ref.indexOf('#'), 0)) };
}

/** Returns the steps of a JSON pointer; undefined for any other URI. */
function pathOf({ $id }: JsonObject, ref: string): readonly string[] | undefined {
  const base = typeof $id === 'string' ? $id.replace(/#$/, '') : '';
  const fragment = base !== '' && ref.startsWith(base) ? ref.slice(base.length) : ref;
  if (fragment === '') return ref === '' ? undefined : [];
  return parseJsonPointer(fragment);
}

function followPath(root: JsonObject, path: readonly string[]): JsonObject | boolean | undefined {
  let at: unknown = root;
  for (const [index, step] of path.entries()) {
    const isElsewhere = index > 0 && isObject(at) && typeof at['$id'] === 'string';
    if (typeof at !== 'object' || at === null || isElsewhere || !Object.hasOwn(at, step)) return undefined;
    at = Reflect.get(at, step);
  }
  return isObject(at) || typeof at === 'boolean' ? at : undefined;
}

/**
 * Returns whether the draft ignores keywords beside a reference, as all before 2019 do. They must not take effect now.
 */
export function ignoresSiblings({ $schema }: JsonObject): boolean {
  return typeof $schema === 'string' && OLD_DRAFT.test($schema);
}

const OLD_DRAFT = /draft-0[3-7]/;

/** Returns an unused name of characters that have no special meaning in a URI. */
function freeName({ root, references }: SchemaWriter, wanted: string): string {
  const base = wanted.replace(/[^\w-]/g, '_').slice(0, MAX_NAME_LENGTH);
  const taken = new Set(references.map(({ name }) => name));
  const { $defs } = root;
  for (let count = 1; ; count++) {
    const name = count === 1 ? base : `${base}_${count}`;
    if (!taken.has(name) && !(isObject($defs) && Object.hasOwn($defs, name))) return name;
  }
}

const MAX_NAME_LENGTH = 40;
