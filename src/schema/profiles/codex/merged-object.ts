import { cut } from '../../../base/text/truncate.ts';
import { isObject, type JsonObject } from '../json.ts';
import { resolve, standsAlone } from './references.ts';
import type { Writing } from './schema-writer.ts';
import { declaredTypes } from './types.ts';

/** What a schema says about the members of an object, whatever it is composed of. */
export interface View {
  /** A value must fit one of the schemas; `true` is among them when some part lets it be anything. */
  readonly properties: Map<string, readonly unknown[]>;
  readonly required: Set<string>;
  /** Whether no other members are allowed. */
  isClosed: boolean;
  /** Empty when there is none. */
  description: string;
  /** What else is required in one case or the other, in words. */
  readonly alternatives: string[];
}

export interface Flattening {
  readonly writing: Writing;
  /** Schemas that are still looked into: beyond them nothing is known, which only allows more. */
  schemasLeft: number;
}

export function createFlattening(writing: Writing): Flattening {
  return { writing, schemasLeft: MAX_SCHEMAS };
}

const MAX_SCHEMAS = 500;
const MAX_DEPTH = 16;
/** More do not fit into what Codex reads. */
const MAX_NAMES = 500;

/** Undefined for a schema that no object fits. */
export function viewOf(flattening: Flattening, schema: unknown, path: readonly string[], depth = 0): View | undefined {
  const view: View = { properties: new Map(), required: new Set(), isClosed: false, description: '', alternatives: [] };
  if (schema === false) return undefined;
  if (!isObject(schema) || depth > MAX_DEPTH || flattening.schemasLeft-- <= 0) return view;
  if (declaredTypes(schema['type'])?.includes('object') === false && depth > 0) return undefined;
  if (depth > 0 && isElsewhere(schema)) return view;
  const isReference = typeof schema['$ref'] === 'string';
  if (isReference && standsAlone(flattening.writing.root)) return viewOfTarget(flattening, schema, depth);
  addOwn(flattening, view, { schema, path, maxNames: depth === 0 ? Number.POSITIVE_INFINITY : MAX_NAMES });
  const parts = [...referred(flattening, schema), ...branchesOf(schema, 'allOf', path)];
  for (const part of parts) {
    const inner = viewOf(flattening, part.schema, part.path, depth + 1);
    if (inner === undefined) return undefined;
    join(view, inner);
  }
  for (const keyword of ['anyOf', 'oneOf']) {
    const branches = branchesOf(schema, keyword, path);
    if (branches.length === 0 || branches.length > MAX_SCHEMAS) continue;
    const views = branches.map((branch) => viewOf(flattening, branch.schema, branch.path, depth + 1));
    const possible = views.filter((inner) => inner !== undefined);
    if (possible.length === 0) return undefined;
    join(view, unite(possible));
  }
  return view;
}

interface Part {
  readonly schema: unknown;
  readonly path: readonly string[];
}

interface Own extends Part {
  readonly schema: JsonObject;
  /** What the top says of its own is said once and may be long; the parts may be shared very often. */
  readonly maxNames: number;
}

function isElsewhere({ $id }: JsonObject): boolean {
  return typeof $id === 'string' && !$id.startsWith('#');
}

function viewOfTarget(flattening: Flattening, schema: JsonObject, depth: number): View | undefined {
  const [target] = referred(flattening, schema);
  return viewOf(flattening, target?.schema, target?.path ?? [], depth + 1);
}

function addOwn({ writing }: Flattening, view: View, { schema, path, maxNames }: Own): void {
  const { properties, required, description, additionalProperties, patternProperties } = schema;
  view.isClosed = additionalProperties === false && !isObject(patternProperties);
  if (typeof description === 'string') view.description = description;
  if (Array.isArray(required)) {
    for (const name of required.slice(0, maxNames)) if (typeof name === 'string') view.required.add(name);
  }
  if (!isObject(properties)) return;
  for (const name in properties) {
    if (view.properties.size >= maxNames) {
      view.isClosed = false;
      return;
    }
    view.properties.set(name, [properties[name]]);
    if (isObject(properties[name])) writing.origins?.set(properties[name], [...path, 'properties', name]);
  }
}

function referred({ writing }: Flattening, { $ref }: JsonObject): Part[] {
  const found = typeof $ref === 'string' ? resolve(writing, $ref) : undefined;
  return found === undefined ? [] : [{ schema: found.target, path: found.path }];
}

function branchesOf(schema: JsonObject, keyword: string, path: readonly string[]): Part[] {
  const branches = schema[keyword];
  if (!Array.isArray(branches)) return [];
  return branches
    .slice(0, MAX_SCHEMAS + 1)
    .map((branch: unknown, index) => ({ schema: branch, path: [...path, keyword, String(index)] }));
}

/** Of two that both hold: of what both say about a member, one is enough. */
function join(view: View, inner: View): void {
  for (const [name, schemas] of inner.properties) if (!view.properties.has(name)) view.properties.set(name, schemas);
  for (const name of inner.required) view.required.add(name);
  if (inner.isClosed) view.isClosed = true;
  if (view.description === '') view.description = inner.description;
  view.alternatives.push(...inner.alternatives);
}

/** Of several of which one holds. */
function unite(views: readonly View[]): View {
  const names = [...new Set(views.flatMap((view) => [...view.properties.keys()]))];
  const properties = new Map<string, readonly unknown[]>();
  for (const name of names.slice(0, MAX_NAMES)) {
    const schemas = new Map<unknown, unknown>();
    for (const view of views) {
      const allowed = view.properties.get(name) ?? (view.isClosed ? [] : [true]);
      for (const schema of allowed) schemas.set(identify(schema), schema);
    }
    properties.set(name, [...schemas.values()]);
  }
  const counts = new Map<string, number>();
  for (const view of views) for (const name of view.required) counts.set(name, (counts.get(name) ?? 0) + 1);
  const required = new Set([...counts.keys()].filter((name) => counts.get(name) === views.length));
  return {
    properties,
    required,
    isClosed: names.length <= MAX_NAMES && views.every((view) => view.isClosed),
    description: '',
    alternatives: tellNeeds(views.map((view) => [...view.required].filter((name) => !required.has(name)))),
  };
}

/** So that what two parts say with the same words is said once. Only of what is small: parts may be shared very often. */
function identify(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const values = Object.values(schema);
  const isSmall = values.length <= 8 && values.every((value) => typeof value !== 'object' || isShortList(value));
  return isSmall ? JSON.stringify(schema) : schema;
}

function isShortList(value: unknown): boolean {
  return Array.isArray(value) && value.length <= 8 && value.every((item) => typeof item !== 'object');
}

function tellNeeds(needs: readonly (readonly string[])[]): string[] {
  if (needs.every((names) => names.length === 0)) return [];
  const cases = new Set(needs.map((names) => names.join(', ') || 'nothing more'));
  return [cut(`needs ${[...cases].join(' or ')}`, MAX_WORDS)];
}

const MAX_WORDS = 200;
