import fc from 'fast-check';

const leaf = fc.oneof(
  fc.record({ type: fc.constantFrom('string', 'number', 'integer', 'boolean') }),
  fc.record({
    type: fc.constant('string'),
    enum: fc.uniqueArray(fc.string({ maxLength: 12 }), { minLength: 1, maxLength: 30 }),
  }),
  fc.record({ type: fc.constant('integer'), minimum: fc.nat(), default: fc.nat() }),
  fc.record({ const: fc.constantFrom('one', 'two') }),
  fc.constant({ type: ['string', 'null'] }),
  fc.constant({}),
);

/** Valid schemas with many arguments, from slightly below to far above Codex's size limit. */
export const largeToolSchema = fc
  .record({
    groups: fc.array(fc.tuple(fc.nat(999), fc.nat(30), schemaOf(3)), { minLength: 1, maxLength: 12 }),
    definitions: fc.tuple(schemaOf(2), schemaOf(1), schemaOf(3)),
    needed: fc.nat(6),
    isClosed: fc.boolean(),
  })
  .map(({ groups, definitions, needed, isClosed }) => {
    const properties: Record<string, unknown> = {};
    for (const [name, count, schema] of groups) {
      for (let copy = 0; copy <= count; copy++) properties[`argument_${name}_${copy}`] = schema;
    }
    return {
      type: 'object',
      properties,
      required: Object.keys(properties).slice(0, needed),
      ...(isClosed ? { additionalProperties: false } : {}),
      $defs: Object.fromEntries(definitions.map((definition, at) => [`d${at}`, definition])),
    };
  });

function schemaOf(depth: number): fc.Arbitrary<Record<string, unknown>> {
  const described = fc
    .tuple(kindOf(depth), fc.constantFrom(0, 0, 10, 60, 400))
    .map(([schema, length]) =>
      length === 0 ? schema : { ...schema, description: 'why and how. '.repeat(length / 10) },
    );
  return described;
}

function kindOf(depth: number): fc.Arbitrary<Record<string, unknown>> {
  if (depth === 0) return leaf;
  const inner = schemaOf(depth - 1);
  const members = fc.dictionary(fc.stringMatching(/^[a-z]{1,12}$/), inner, { minKeys: 1, maxKeys: 8 });
  return fc.oneof(
    leaf,
    members.map((properties) => ({ type: 'object', properties, required: Object.keys(properties).slice(0, 2) })),
    inner.map((items) => ({ type: 'array', items })),
    inner.map((additionalProperties) => ({ type: 'object', additionalProperties })),
    fc.array(inner, { minLength: 1, maxLength: 3 }).map((anyOf) => ({ anyOf })),
    fc.nat(2).map((at) => ({ $ref: `#/$defs/d${at}` })),
  );
}
