import { parseJsonPointer } from '../../wire/json/json-pointer.ts';
import { isObject } from '../../wire/messages.ts';

export type Schema = Readonly<Record<string, unknown>>;

export type JsonType = 'string' | 'number' | 'integer' | 'boolean' | 'null' | 'array' | 'object';

/** One of the alternatives that a schema allows. */
export interface Alternative {
  /** Undefined when the schema names no type. */
  readonly type: JsonType | undefined;
  readonly schema: Schema;
}

/** Returns the alternatives of a schema, in its own order. Stops after `MAX_STEPS`, so the result may be incomplete. */
export function alternativesOf(schema: unknown, root: unknown): readonly Alternative[] {
  const found: Alternative[] = [];
  collect(schema, { root, found, left: MAX_STEPS });
  return found;
}

/** Returns the schema of one property; undefined when the schema does not name it. */
export function propertySchema(schema: unknown, name: string, root: unknown): unknown {
  for (const { schema: one } of alternativesOf(schema, root)) {
    const { properties } = one;
    if (isObject(properties) && Object.hasOwn(properties, name)) return properties[name];
  }
  return undefined;
}

/** Returns the names of all known properties. */
export function propertyNames(schema: unknown, root: unknown): readonly string[] {
  const names = alternativesOf(schema, root).flatMap(({ schema: { properties } }) =>
    isObject(properties) ? Object.keys(properties) : [],
  );
  return [...new Set(names)];
}

/** Resolves a reference inside the same schema; undefined for all others. Never fetches anything. */
export function resolveReference(reference: unknown, root: unknown): unknown {
  const steps = typeof reference === 'string' ? parseJsonPointer(reference) : undefined;
  return steps && valueAt(root, steps);
}

export function valueAt(value: unknown, steps: readonly string[]): unknown {
  return steps.reduce<unknown>((inner, step) => {
    if (typeof inner !== 'object' || inner === null || !Object.hasOwn(inner, step)) return undefined;
    return Reflect.get(inner, step);
  }, value);
}

const MAX_STEPS = 200;

interface Search {
  readonly root: unknown;
  readonly found: Alternative[];
  left: number;
}

function collect(schema: unknown, search: Search): void {
  if (!isObject(schema) || --search.left < 0) return;
  const { $ref, anyOf, oneOf, allOf } = schema;
  if ($ref !== undefined) {
    collect(resolveReference($ref, search.root), search);
    return;
  }
  const members = [anyOf, oneOf].filter((list) => Array.isArray(list)).flat();
  if (members.length > 0) for (const member of members) collect(member, search);
  if (Array.isArray(allOf)) for (const member of allOf) collect(member, search);
  // Beside its members a schema may have keywords of its own, usually `properties`.
  const isBare = schema['type'] === undefined && schema['properties'] === undefined && schema['enum'] === undefined;
  if (isBare && (members.length > 0 || Array.isArray(allOf))) return;
  const types = typesOf(schema);
  if (types.length === 0) search.found.push({ type: undefined, schema });
  for (const type of types) search.found.push({ type, schema });
}

function typesOf({ type, properties, items }: Schema): readonly JsonType[] {
  const named = [type].flat().filter(isJsonType);
  if (named.length > 0) return named;
  if (isObject(properties)) return ['object'];
  return items === undefined ? [] : ['array'];
}

const JSON_TYPES: ReadonlySet<unknown> = new Set<JsonType>([
  ...(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'] as const),
]);

function isJsonType(type: unknown): type is JsonType {
  return JSON_TYPES.has(type);
}
