interface Schema {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
}

/** Accepts every elicitation and keeps the default of every field. */
export function answerForm(requestedSchema: unknown): Record<string, unknown> {
  return fill(toSchema(requestedSchema));
}

/** A model that returns a fixed message. */
export function answerModel(): Record<string, unknown> {
  return { role: 'assistant', content: { type: 'text', text: 'Well said.' }, model: 'none', stopReason: 'endTurn' };
}

/** Arguments that a schema of this kind accepts: its required properties. */
export function sampleFor(inputSchema: unknown): Record<string, unknown> {
  const schema = toSchema(inputSchema);
  const required = (schema.required ?? []).map((name) => [name, toSample(toSchema(schema.properties?.[name]))]);
  return Object.fromEntries(required);
}

function fill({ properties = {} }: Schema): Record<string, unknown> {
  return Object.fromEntries(Object.entries(properties).map(([name, property]) => [name, toSample(property)]));
}

function toSample(schema: Schema): unknown {
  if (schema.default !== undefined) return schema.default;
  if (schema.enum !== undefined) return schema.enum[0];
  switch (schema.type) {
    case 'number':
    case 'integer':
      return 5;
    case 'boolean':
      return true;
    case 'array':
      return [];
    case 'object':
      return sampleFor(schema);
    case 'null':
      return null;
    default:
      return 'text';
  }
}

function toSchema(value: unknown): Schema {
  return typeof value === 'object' && value !== null ? value : {};
}
