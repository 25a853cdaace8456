/** Every JSON value has one of these types: an integer is a number too. */
export const ALL_TYPES: readonly string[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];

export const OBJECT_TYPE: readonly string[] = ['object'];

const SINGLE: ReadonlyMap<unknown, readonly string[]> = new Map(
  [...ALL_TYPES, 'integer'].map((type) => [type, type === 'object' ? OBJECT_TYPE : [type]]),
);

/**
 * Returns the declared types; undefined if there are none, or one that JSON Schema does not know: then the schema
 * allows any.
 */
export function declaredTypes(type: unknown): readonly string[] | undefined {
  if (!Array.isArray(type)) return SINGLE.get(type);
  const types = [...new Set<unknown>(type)];
  return types.length > 0 && types.every(isType) ? types : undefined;
}

function isType(type: unknown): type is string {
  return SINGLE.has(type);
}

export function typesOfValues(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.map(typeOfValue))];
}

function typeOfValue(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

export function isEveryType(types: readonly string[] | undefined): boolean {
  return (
    types === ALL_TYPES ||
    (types !== undefined && types.length >= ALL_TYPES.length && ALL_TYPES.every((type) => types.includes(type)))
  );
}

/** Returns the beginning of a schema with these types. */
export function typeHead(types: readonly string[]): string {
  return HEADS.get(types) ?? makeHead(types);
}

function makeHead(types: readonly string[]): string {
  return types.length === 1 ? `{"type":"${types[0]}"` : `{"type":["${types.join('","')}"]`;
}

/** For the type lists that are created once. */
const HEADS: ReadonlyMap<readonly string[], string> = new Map(
  [...SINGLE.values(), ALL_TYPES].map((types) => [types, makeHead(types)]),
);

export const EVERY_TYPE_HEAD = makeHead(ALL_TYPES);

/** Returns the same for a single type whose values contain nothing. */
export function leafHead(type: unknown): string | undefined {
  return LEAF_HEADS.get(type);
}

const LEAF_HEADS: ReadonlyMap<unknown, string> = new Map(
  ['string', 'number', 'integer', 'boolean', 'null'].map((type) => [type, makeHead([type])]),
);
