import { isObject } from '../../../wire/messages.ts';
import { type RewriteContext, recordRewrite } from './rewrite-context.ts';
import type { Schema } from './schema.ts';

/** Rewrites `integer` to `number`, and guesses a type that is missing or unknown. At the root it is always `object`. */
export function rewriteType(context: RewriteContext, schema: Schema, depth: number): void {
  const { type } = schema;
  if (depth === 0) {
    if (type !== 'object') setType(context, schema, OBJECT);
  } else if (Array.isArray(type)) {
    if (type.includes('integer')) rewriteTypes(context, schema, type);
  } else if (type === 'integer') setType(context, schema, NUMBER);
  else if (!KNOWN.has(type)) setType(context, schema, guess(context, schema));
}

/** Returns the single type of a rewritten schema, or else `string`. */
export function typeOfSchema(schema: unknown): string {
  const type = isObject(schema) ? schema['type'] : undefined;
  if (type === 'integer') return 'number';
  return typeof type === 'string' && KNOWN.has(type) ? type : 'string';
}

const KNOWN: ReadonlySet<unknown> = new Set(['boolean', 'string', 'number', 'array', 'object']);

interface Choice {
  readonly type: string;
  readonly why: string;
  readonly acceptsLess: boolean;
}

const OBJECT: Choice = { type: 'object', why: 'the arguments of a call are an object', acceptsLess: false };
const NUMBER: Choice = { type: 'number', why: 'Codex does not know integer', acceptsLess: false };

function setType(context: RewriteContext, schema: Schema, { type, why, acceptsLess }: Choice): void {
  recordRewrite(context, {
    what: schema['type'] === undefined ? `type added: ${type}` : `type became: ${type}`,
    why,
    acceptsLess,
  });
  schema['type'] = type;
}

/** Rewrites a list of types. It stays a list, in which every type occurs once. */
function rewriteTypes(context: RewriteContext, schema: Schema, types: readonly unknown[]): void {
  schema['type'] = [...new Set(types.map((type) => (type === 'integer' ? 'number' : type)))];
  recordRewrite(context, { what: 'integer became number', why: NUMBER.why, acceptsLess: false });
}

/** Guesses a type from the first value, else from `properties` or `items`, else `string`. */
function guess(context: RewriteContext, { enum: choices, properties, items }: Schema): Choice {
  if (Array.isArray(choices) && choices.length > 0) {
    const types = new Set(choices.map((value) => typeOfValue(context, value)));
    const [type = 'string'] = types;
    return { type, why: `${MISSING} the first value has this type`, acceptsLess: types.size > 1 };
  }
  if (properties !== undefined) return HAS_PROPERTIES;
  return items === undefined ? UNSPECIFIED : HAS_ITEMS;
}

const MISSING = 'Codex requires a type that it knows;';
const HAS_PROPERTIES: Choice = { type: 'object', why: `${MISSING} it has properties`, acceptsLess: true };
const HAS_ITEMS: Choice = { type: 'array', why: `${MISSING} it has items`, acceptsLess: true };
const UNSPECIFIED: Choice = { type: 'string', why: `${MISSING} nothing else is specified`, acceptsLess: true };

/** Returns the type of a value. An old Codex has no type null and would drop the tool. */
function typeOfValue({ mark }: RewriteContext, value: unknown): string {
  if (typeof value === 'string') return mark !== undefined && value.startsWith(mark) ? 'number' : 'string';
  if (typeof value !== 'object') return typeof value;
  if (value === null) return 'string';
  return Array.isArray(value) ? 'array' : 'object';
}
