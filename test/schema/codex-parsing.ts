/** Converts a tool's schema like Codex 0.166 does before it reaches the model. If this throws, Codex drops the tool. */
export function asCodexParses(schema: unknown): unknown {
  const read = readSchema(schema);
  if (typeof read !== 'object') throw new Error('not a schema');
  return keepKnown(read);
}

type Json = Record<string, unknown>;

function readSchema(schema: unknown): unknown {
  if (typeof schema === 'boolean') return { type: 'string' };
  if (Array.isArray(schema)) return schema.map(readSchema);
  if (!isObject(schema)) return schema;
  const read: Json = { ...schema };
  for (const key of ['items', 'prefixItems', 'anyOf', 'oneOf', 'allOf'])
    if (key in read) read[key] = readSchema(read[key]);
  if (typeof read['additionalProperties'] !== 'boolean' && 'additionalProperties' in read) {
    read['additionalProperties'] = readSchema(read['additionalProperties']);
  }
  for (const key of ['properties', '$defs', 'definitions']) {
    const table = read[key];
    if (isObject(table)) read[key] = mapValues(table, readSchema);
  }
  if ('const' in read) read['enum'] = [read['const']];
  return withType(read);
}

function withType(schema: Json): Json {
  const types = [schema['type']].flat().filter((type) => TYPES.includes(type));
  const has = (...keys: readonly string[]) => keys.some((key) => key in schema);
  if (types.length === 0) {
    if (has('$ref', 'anyOf', 'oneOf', 'allOf')) {
      const { type: _, ...rest } = schema;
      return rest;
    }
    if (has('properties', 'required', 'additionalProperties')) types.push('object');
    else if (has('items', 'prefixItems')) types.push('array');
    else if (has('enum', 'format')) types.push('string');
    else if (has('minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum', 'multipleOf')) types.push('number');
    else return {};
  }
  const read: Json = { ...schema, type: types.length === 1 ? types[0] : types };
  if (types.includes('object') && !has('properties')) read['properties'] = {};
  if (types.includes('array') && !has('items')) read['items'] = { type: 'string' };
  return read;
}

const TYPES: readonly unknown[] = ['string', 'number', 'boolean', 'integer', 'object', 'array', 'null'];

/** Codex drops all other keywords. If one of these is malformed, it drops the tool. */
function keepKnown(schema: unknown): Json {
  if (!isObject(schema)) throw new Error(`not a schema: ${JSON.stringify(schema)}`);
  const kept: Json = {};
  for (const [key, isFine] of Object.entries(KNOWN)) {
    const found = schema[key];
    if (found === undefined || found === null) continue;
    if (!isFine(found)) throw new Error(`${key} is ${JSON.stringify(found)}`);
    kept[key] = found;
  }
  for (const key of ['properties', '$defs', 'definitions']) {
    if (isObject(kept[key])) kept[key] = mapValues(kept[key], keepKnown);
  }
  for (const key of ['anyOf', 'oneOf', 'allOf']) if (Array.isArray(kept[key])) kept[key] = kept[key].map(keepKnown);
  for (const key of ['items', 'additionalProperties']) if (isObject(kept[key])) kept[key] = keepKnown(kept[key]);
  return kept;
}

const isText = (found: unknown) => typeof found === 'string';
const KNOWN: Readonly<Record<string, (found: unknown) => boolean>> = {
  $ref: isText,
  type: (found) => [found].flat().every((type) => TYPES.includes(type)),
  description: isText,
  enum: Array.isArray,
  items: isObject,
  properties: isObject,
  required: (found) => Array.isArray(found) && found.every(isText),
  additionalProperties: (found) => typeof found === 'boolean' || isObject(found),
  anyOf: Array.isArray,
  oneOf: Array.isArray,
  allOf: Array.isArray,
  $defs: isObject,
  definitions: isObject,
};

function isObject(found: unknown): found is Json {
  return typeof found === 'object' && found !== null && !Array.isArray(found);
}

function mapValues(table: Json, change: (inner: unknown) => unknown): Json {
  return Object.fromEntries(Object.entries(table).map(([key, inner]) => [key, change(inner)]));
}
