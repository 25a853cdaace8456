import { truncate } from '../../../base/text/truncate.ts';
import { isObject, type JsonObject } from '../../../wire/messages.ts';
import { ignoresSiblings, resolve } from './references.ts';
import type { SchemaWriter } from './schema-writer.ts';
import { declaredTypes } from './types.ts';

/** The constraints of a schema on the members of an object, merged from all its parts. */
export interface MergedObject {
  /** A value must match one of the schemas; `true` is among them if some part allows anything. */
  readonly properties: Map<string, readonly unknown[]>;
  readonly required: Set<string>;
  /** Whether no other members are allowed. */
  isClosed: boolean;
  /** Empty if there is none. */
  description: string;
  /** Additional requirements of each alternative, in words. */
  readonly alternatives: string[];
}

export interface Flattening {
  readonly writer: SchemaWriter;
  /** Number of schemas that may still be inspected. Ignoring the others only allows more. */
  schemasLeft: number;
}

export function createFlattening(writer: SchemaWriter): Flattening {
  return { writer, schemasLeft: MAX_SCHEMAS };
}

const MAX_SCHEMAS = 500;
const MAX_DEPTH = 16;
/** More would not fit into the size that Codex reads. */
const MAX_NAMES = 500;

/** Merges a schema and its parts; undefined if no object matches it. */
export function mergeObject(
  flattening: Flattening,
  schema: unknown,
  path: readonly string[],
  depth = 0,
): MergedObject | undefined {
  const merged: MergedObject = {
    properties: new Map(),
    required: new Set(),
    isClosed: false,
    description: '',
    alternatives: [],
  };
  if (schema === false) return undefined;
  if (!isObject(schema) || depth > MAX_DEPTH || flattening.schemasLeft-- <= 0) return merged;
  if (declaredTypes(schema['type'])?.includes('object') === false && depth > 0) return undefined;
  if (depth > 0 && isElsewhere(schema)) return merged;
  const isReference = typeof schema['$ref'] === 'string';
  if (isReference && ignoresSiblings(flattening.writer.root)) return mergeTarget(flattening, schema, depth);
  addOwn(flattening, merged, { schema, path, maxNames: depth === 0 ? Number.POSITIVE_INFINITY : MAX_NAMES });
  const parts = [...referred(flattening, schema), ...branchesOf(schema, 'allOf', path)];
  for (const part of parts) {
    const inner = mergeObject(flattening, part.schema, part.path, depth + 1);
    if (inner === undefined) return undefined;
    mergeAll(merged, inner);
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = branchesOf(schema, keyword, path);
    if (branches.length === 0 || branches.length > MAX_SCHEMAS) continue;
    const candidates = branches.map((branch) => mergeObject(flattening, branch.schema, branch.path, depth + 1));
    const possible = candidates.filter((inner) => inner !== undefined);
    if (possible.length === 0) return undefined;
    mergeAll(merged, mergeAlternatives(possible));
  }
  return merged;
}

interface Part {
  readonly schema: unknown;
  readonly path: readonly string[];
}

interface Own extends Part {
  readonly schema: JsonObject;
  /** Unlimited at the root, which is read once and may be long; parts may be shared very often. */
  readonly maxNames: number;
}

function isElsewhere({ $id }: JsonObject): boolean {
  return typeof $id === 'string' && !$id.startsWith('#');
}

function mergeTarget(flattening: Flattening, schema: JsonObject, depth: number): MergedObject | undefined {
  const [target] = referred(flattening, schema);
  return mergeObject(flattening, target?.schema, target?.path ?? [], depth + 1);
}

function addOwn({ writer }: Flattening, merged: MergedObject, { schema, path, maxNames }: Own): void {
  const { properties, required, description, additionalProperties, patternProperties } = schema;
  merged.isClosed = additionalProperties === false && !isObject(patternProperties);
  if (typeof description === 'string') merged.description = description;
  if (Array.isArray(required)) {
    for (const name of required.slice(0, maxNames)) if (typeof name === 'string') merged.required.add(name);
  }
  if (!isObject(properties)) return;
  for (const name in properties) {
    if (merged.properties.size >= maxNames) {
      merged.isClosed = false;
      return;
    }
    merged.properties.set(name, [properties[name]]);
    if (isObject(properties[name])) writer.origins?.set(properties[name], [...path, 'properties', name]);
  }
}

function referred({ writer }: Flattening, { $ref }: JsonObject): Part[] {
  const found = typeof $ref === 'string' ? resolve(writer, $ref) : undefined;
  return found === undefined ? [] : [{ schema: found.target, path: found.path }];
}

function branchesOf(schema: JsonObject, keyword: string, path: readonly string[]): Part[] {
  const branches = schema[keyword];
  if (!Array.isArray(branches)) return [];
  return branches
    .slice(0, MAX_SCHEMAS + 1)
    .map((branch: unknown, index) => ({ schema: branch, path: [...path, keyword, String(index)] }));
}

/** Merges two objects that both apply. If both define a member, one definition is enough. */
function mergeAll(merged: MergedObject, inner: MergedObject): void {
  for (const [name, schemas] of inner.properties)
    if (!merged.properties.has(name)) merged.properties.set(name, schemas);
  for (const name of inner.required) merged.required.add(name);
  if (inner.isClosed) merged.isClosed = true;
  if (merged.description === '') merged.description = inner.description;
  merged.alternatives.push(...inner.alternatives);
}

/** Merges several objects of which one applies. */
function mergeAlternatives(candidates: readonly MergedObject[]): MergedObject {
  const names = [...new Set(candidates.flatMap((candidate) => [...candidate.properties.keys()]))];
  const properties = new Map<string, readonly unknown[]>();
  for (const name of names.slice(0, MAX_NAMES)) {
    const schemas = new Map<unknown, unknown>();
    for (const candidate of candidates) {
      const allowed = candidate.properties.get(name) ?? (candidate.isClosed ? [] : [true]);
      for (const schema of allowed) schemas.set(identify(schema), schema);
    }
    properties.set(name, [...schemas.values()]);
  }
  const counts = new Map<string, number>();
  for (const candidate of candidates)
    for (const name of candidate.required) counts.set(name, (counts.get(name) ?? 0) + 1);
  const required = new Set([...counts.keys()].filter((name) => counts.get(name) === candidates.length));
  return {
    properties,
    required,
    isClosed: names.length <= MAX_NAMES && candidates.every((candidate) => candidate.isClosed),
    description: '',
    alternatives: describeRequirements(
      candidates.map((candidate) => [...candidate.required].filter((name) => !required.has(name))),
    ),
  };
}

/**
 * Returns a key that is equal for identical schemas, so that each is listed once. Only for small schemas: parts may be
 * shared very often.
 */
function identify(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const values = Object.values(schema);
  const isSmall = values.length <= 8 && values.every((value) => typeof value !== 'object' || isShortList(value));
  return isSmall ? JSON.stringify(schema) : schema;
}

function isShortList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 8 && value.every((item) => typeof item !== 'object');
}

function describeRequirements(needs: readonly (readonly string[])[]): string[] {
  if (needs.every((names) => names.length === 0)) return [];
  const cases = new Set(needs.map((names) => names.join(', ') || 'nothing more'));
  return [truncate(`needs ${[...cases].join(' or ')}`, MAX_TEXT_LENGTH)];
}

const MAX_TEXT_LENGTH = 200;
