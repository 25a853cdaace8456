import { asCodexParses } from './codex-parsing.ts';

/**
 * Compacts a schema like Codex 0.166: above 5000 bytes, it removes one kind of detail after another until the rest
 * fits. If the result is still above 5000 bytes, it is used as it is.
 */
export function asCodexShows(schema: unknown): unknown {
  let shown = withoutUnused(asCodexParses(schema));
  for (const pass of PASSES) {
    if (Buffer.byteLength(JSON.stringify(shown)) <= MAX_BYTES) break;
    shown = pass(shown);
  }
  return shown;
}

const MAX_BYTES = 5000;
const MAX_DEPTH = 3;

type Json = Record<string, unknown>;
type Inside = (schema: unknown) => unknown;

const PASSES: readonly Inside[] = [
  withoutDescriptions,
  (schema) => withoutDefinitions(withoutReferences(schema)),
  (schema) => withoutDepth(schema, 0),
  withoutCompositions,
];

function withoutDescriptions(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { description: _, ...rest } = schema;
  return mapDefinitions(mapInside(rest, withoutDescriptions), withoutDescriptions);
}

function withoutReferences(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  return definitionOf(schema['$ref']) === undefined ? mapInside(schema, withoutReferences) : {};
}

function withoutDefinitions(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const { $defs: _, definitions: __, ...rest } = schema;
  return rest;
}

function withoutDepth(schema: unknown, depth: number): unknown {
  if (!isObject(schema)) return schema;
  if (depth >= MAX_DEPTH && COMPLEX.some((key) => key in schema)) return {};
  return mapInside(schema, (inner) => withoutDepth(inner, depth + 1));
}

function withoutCompositions(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  return COMPOSITIONS.some((key) => key in schema) ? {} : mapInside(schema, withoutCompositions);
}

const COMPOSITIONS = ['anyOf', 'oneOf', 'allOf'] as const;
const COMPLEX = ['items', 'properties', 'additionalProperties', '$ref', ...COMPOSITIONS] as const;

function mapInside(schema: Json, change: Inside): Json {
  const mapped: Json = { ...schema };
  if (isObject(schema['properties'])) mapped['properties'] = mapValues(schema['properties'], change);
  for (const key of ['items', 'additionalProperties']) if (isObject(schema[key])) mapped[key] = change(schema[key]);
  for (const key of COMPOSITIONS) {
    const branches = schema[key];
    if (Array.isArray(branches)) mapped[key] = branches.map(change);
  }
  return mapped;
}

function mapDefinitions(schema: Json, change: Inside): Json {
  const mapped: Json = { ...schema };
  for (const table of TABLES) if (isObject(schema[table])) mapped[table] = mapValues(schema[table], change);
  return mapped;
}

const TABLES = ['$defs', 'definitions'] as const;

/** Removes unreferenced definitions first. */
function withoutUnused(schema: unknown): unknown {
  if (!isObject(schema)) return schema;
  const used = new Set<string>();
  const open: unknown[] = [withoutDefinitions(schema)];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    if (!isObject(next)) continue;
    const found = definitionOf(next['$ref']);
    if (found !== undefined && !used.has(found.join('/'))) {
      used.add(found.join('/'));
      const table = schema[found[0]];
      if (isObject(table)) open.push(table[found[1]]);
    }
    const collect: Inside = (inner) => {
      open.push(inner);
      return inner;
    };
    mapDefinitions(mapInside(next, collect), collect);
  }
  const kept: Json = { ...schema };
  for (const table of TABLES) {
    const definitions = schema[table];
    if (!isObject(definitions)) continue;
    const left = Object.entries(definitions).filter(([name]) => used.has(`${table}/${name}`));
    if (left.length === 0) delete kept[table];
    else kept[table] = Object.fromEntries(left);
  }
  return kept;
}

function definitionOf(ref: unknown): readonly ['$defs' | 'definitions', string] | undefined {
  const [, table, name] = (typeof ref === 'string' && /^#\/(\$defs|definitions)\/([^/]+)/.exec(ref)) || [];
  if (name === undefined || (table !== '$defs' && table !== 'definitions')) return undefined;
  return [table, name];
}

function isObject(found: unknown): found is Json {
  return typeof found === 'object' && found !== null && !Array.isArray(found);
}

function mapValues(table: Json, change: Inside): Json {
  return Object.fromEntries(Object.entries(table).map(([key, inner]) => [key, change(inner)]));
}
