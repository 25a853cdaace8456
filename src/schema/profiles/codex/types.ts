/** Every JSON value has one of these: an integer is a number too. */
export const ALL_TYPES: readonly string[] = ['string', 'number', 'boolean', 'object', 'array', 'null'];

export const OBJECT_TYPE: readonly string[] = ['object'];

const SINGLE: ReadonlyMap<unknown, readonly string[]> = new Map(
  [...ALL_TYPES, 'integer'].map((type) => [type, type === 'object' ? OBJECT_TYPE : [type]]),
);

/** Undefined when none is named or one that JSON Schema does not know: then the schema means any. */
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
  return types !== undefined && ALL_TYPES.every((type) => types.includes(type));
}

export function typesText(types: readonly string[]): string {
  return types.length === 1 ? `"${types[0]}"` : `["${types.join('","')}"]`;
}
