import fc from 'fast-check';

/** Few names and values, so that independently generated parts often match. */
const names = fc.constantFrom('a', 'b', 'c', 'x1', '');
const scalar = fc.constantFrom<unknown>('', 'a', 'ab', 0, 1, 2.5, -3, true, false, null);
const value = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { arbitrary: scalar, weight: 4 },
    { arbitrary: fc.array(tie('value'), { maxLength: 3 }), weight: 1 },
    { arbitrary: fc.dictionary(names, tie('value'), { maxKeys: 3 }), weight: 2 },
  ),
})).value;
export const callArguments = fc.dictionary(names, value, { maxKeys: 4 });

const types = fc.constantFrom('string', 'number', 'integer', 'boolean', 'object', 'array', 'null');
const reference = fc.constantFrom(
  '#',
  '#/$defs/a',
  '#/$defs/b',
  '#/definitions/c',
  '#/properties/a',
  '#/$defs/a/items',
);
const small = fc.nat(3);
/** The linter treats an object with this member as a promise. */
const THEN = 'then';

/** Valid JSON Schema with every feature that some client mishandles. */
const { schema } = fc.letrec<{ schema: unknown; object: Record<string, unknown> }>((tie) => ({
  schema: fc.oneof({ maxDepth: 3 }, { arbitrary: fc.boolean(), weight: 1 }, { arbitrary: tie('object'), weight: 8 }),
  object: fc
    .tuple(
      fc.record({ type: fc.oneof(types, fc.uniqueArray(types, { minLength: 1 })) }, { requiredKeys: [] }),
      fc.oneof(
        { arbitrary: fc.constant({}), weight: 2 },
        ...[fc.record({ enum: fc.array(value, { minLength: 1, maxLength: 3 }) }), fc.record({ const: value })],
        fc.record({ minimum: small, maximum: small, multipleOf: small.map((n) => n + 1) }, { requiredKeys: [] }),
        fc.record({ minLength: small, maxLength: small, pattern: fc.constantFrom('^a', 'b$') }, { requiredKeys: [] }),
        fc.record(
          { format: fc.constantFrom('date', 'email'), default: value, title: fc.string() },
          { requiredKeys: [] },
        ),
        fc.record({ nullable: fc.boolean(), deprecated: fc.boolean(), description: fc.string() }, { requiredKeys: [] }),
      ),
      fc.oneof(
        { arbitrary: fc.constant({}), weight: 3 },
        fc.record({ $ref: reference }),
        fc.record(
          {
            properties: fc.dictionary(names, tie('schema'), { maxKeys: 3 }),
            required: fc.uniqueArray(names, { maxLength: 2 }),
            additionalProperties: tie('schema'),
            patternProperties: fc.dictionary(fc.constantFrom('^x', '^[a-b]$'), tie('schema'), { maxKeys: 2 }),
            minProperties: small,
            propertyNames: fc.record({ maxLength: small }),
            dependentRequired: fc.dictionary(names, fc.uniqueArray(names, { maxLength: 2 }), { maxKeys: 1 }),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          {
            items: fc.oneof(tie('schema'), fc.array(tie('schema'), { maxLength: 3 })),
            additionalItems: tie('schema'),
            minItems: small,
            maxItems: small,
            uniqueItems: fc.boolean(),
          },
          { requiredKeys: [] },
        ),
        fc.record(
          { prefixItems: fc.array(tie('schema'), { maxLength: 3 }), items: tie('schema') },
          { requiredKeys: [] },
        ),
      ),
      fc.oneof(
        { arbitrary: fc.constant({}), weight: 3 },
        fc.record(
          {
            anyOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
            oneOf: fc.array(tie('schema'), { minLength: 1, maxLength: 3 }),
            allOf: fc.array(tie('schema'), { minLength: 1, maxLength: 2 }),
            not: tie('schema'),
          },
          { requiredKeys: [] },
        ),
        fc.record({ if: tie('schema'), [THEN]: tie('schema'), else: tie('schema') }, { requiredKeys: [] }),
      ),
    )
    .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>),
}));

const definitions = { $defs: fc.record({ a: schema, b: schema }), definitions: fc.record({ c: schema }) };

/** An awkward input schema of a tool. */
export const awkwardSchema = fc
  .tuple(
    schema.filter((found) => typeof found === 'object'),
    fc.record(
      { properties: fc.dictionary(names, schema, { maxKeys: 4 }), type: fc.constant('object') },
      { requiredKeys: [] },
    ),
    fc.record(
      {
        ...definitions,
        $schema: fc.constantFrom(
          'https://json-schema.org/draft/2020-12/schema',
          'http://json-schema.org/draft-07/schema#',
        ),
      },
      { requiredKeys: ['$defs'] },
    ),
  )
  .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);

const plain = fc.constantFrom(
  { type: 'string' },
  { type: 'number' },
  { type: ['boolean', 'null'] },
  { const: 'a' },
  true,
);
const plainObject = fc.record(
  {
    properties: fc.dictionary(names, plain, { maxKeys: 3 }),
    required: fc.uniqueArray(names, { maxLength: 2 }),
    additionalProperties: fc.oneof(fc.boolean(), plain),
    type: fc.constantFrom('object', 'string'),
  },
  { requiredKeys: ['properties'] },
);
const plainObjects = fc.array(plainObject, { minLength: 1, maxLength: 3 });

/** An input schema composed with `anyOf`, `oneOf` and `allOf`. */
export const composedSchema = fc
  .tuple(
    fc.oneof(fc.constant({}), plainObject),
    fc.record({ anyOf: plainObjects, oneOf: plainObjects, allOf: plainObjects }, { requiredKeys: [] }),
  )
  .map((parts) => Object.assign({}, ...parts) as Record<string, unknown>);

/** Arbitrary JSON with JSON Schema keywords in meaningless places. */
const keyword = fc.constantFrom(
  ...['type', 'properties', 'items', 'required', 'enum', 'const', 'anyOf', 'oneOf', 'allOf', 'not', '$ref', '$defs'],
  ...['description', 'title', 'additionalProperties', 'patternProperties', 'prefixItems', 'minimum', '$id', 'nullable'],
  ...['default', '__proto__', 'constructor', 'toString', '\ud800', '日本'],
);
export const arbitraryJson = fc.letrec<{ arbitraryJson: unknown }>((tie) => ({
  arbitraryJson: fc.oneof(
    { maxDepth: 4 },
    fc.constantFrom<unknown>(null, true, false, 0, -1.5, 1e21, 'object', 'integer', '#', '#/x', '\udc00', ''),
    fc.array(tie('arbitraryJson'), { maxLength: 4 }),
    fc.array(fc.tuple(keyword, tie('arbitraryJson')), { maxLength: 6 }).map(toObject),
  ),
})).arbitraryJson;

/** Creates an object with own properties only, like `JSON.parse`. */
function toObject(members: readonly (readonly [string, unknown])[]): unknown {
  const made = {};
  for (const [key, inner] of members) {
    Object.defineProperty(made, key, { value: inner, enumerable: true, writable: true, configurable: true });
  }
  return made;
}

/** The same with additional properties, so that it must be shortened to varying degrees. */
export const largeSchema = fc
  .record({
    schema: awkwardSchema,
    copies: fc.nat(40),
    scalars: fc.nat(400),
    text: fc.constantFrom('', 'why and how. '.repeat(20)),
  })
  .map(({ schema, copies, scalars, text }) => {
    const properties: Record<string, unknown> = {};
    for (let index = 0; index < copies; index++)
      properties[`copy ${index}`] = { ...schema, $defs: {}, description: text };
    for (let index = 0; index < scalars; index++) properties[`p${index}`] = { type: 'string', description: text };
    const given = typeof schema['properties'] === 'object' ? schema['properties'] : {};
    return { ...schema, properties: { ...properties, ...given } } as Record<string, unknown>;
  });
