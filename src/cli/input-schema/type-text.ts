import { escapeInvisible } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import { resolveReference, type Schema } from './alternatives.ts';

/** Level of detail of a type. */
export interface TypeDetail {
  /** How many levels of nested objects to spell out. */
  readonly depth: number;
  /** How many enum values to list. */
  readonly choices: number;
}

interface TypeOptions extends TypeDetail {
  /** The schema that references point into. */
  readonly root: Schema;
}

/** Formats a JSON Schema in TypeScript notation. Never throws and is always fast, whatever the schema. */
export function typeText(schema: unknown, options: TypeOptions): string {
  return writeSchema(schema, { ...options, hops: 0, budget: { left: MAX_PARTS } });
}

/** Quotes a property name if necessary. */
export function propertyName(name: string): string {
  return PLAIN_NAME.test(name) ? name : literal(name);
}

interface TypeContext extends TypeOptions {
  /** Number of references followed so far. */
  readonly hops: number;
  /** How many parts may still be written: with references a few bytes can expand to millions of parts. */
  readonly budget: { left: number };
}

const MAX_PARTS = 200;
const MAX_HOPS = 8;
/** Limit for members of `allOf`. */
const MAX_COMBINED = 6;
const MAX_MEMBERS = 12;
const MAX_LITERAL = 40;
const PLAIN_NAME = /^[A-Za-z_$][\w$-]{0,63}$/;
const ELLIPSIS = '…';

function writeSchema(schema: unknown, context: TypeContext): string {
  if (schema === false) return 'never';
  if (!isObject(schema)) return 'unknown';
  if (--context.budget.left < 0) return ELLIPSIS;
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return followReference($ref, context);
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return writeUnion(values.slice(0, context.choices).map(literal), values.length);
  const choices = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(choices))
    return writeUnion(
      choices.slice(0, context.choices).map((part) => writeSchema(part, context)),
      choices.length,
    );
  if (Array.isArray(type))
    return writeUnion(
      type.slice(0, context.choices).map((one) => writeType(one, schema, context)),
      type.length,
    );
  if (type === undefined && Array.isArray(allOf) && allOf.length > 0) return writeAllOf(allOf, context);
  return writeType(type, schema, context);
}

/** Follows references only inside the schema itself and fetches nothing. */
function followReference(reference: string, context: TypeContext): string {
  if (context.hops >= MAX_HOPS) return 'unknown';
  return writeSchema(resolveReference(reference, context.root), { ...context, hops: context.hops + 1 });
}

function writeAllOf(parts: readonly unknown[], context: TypeContext): string {
  const texts = parts.slice(0, MAX_COMBINED).map((part) => grouped(writeSchema(part, context)));
  const known = [...new Set(texts)].filter((text) => text !== 'unknown');
  return [...known, ...(parts.length > MAX_COMBINED ? [ELLIPSIS] : [])].join(' & ') || 'unknown';
}

function writeUnion(texts: readonly string[], count: number): string {
  const more = count > texts.length ? [ELLIPSIS] : [];
  return [...new Set([...texts, ...more])].join(' | ') || 'never';
}

function writeType(type: unknown, schema: Schema, context: TypeContext): string {
  if (type === 'array' || (type === undefined && isObject(schema['items']))) return writeArray(schema, context);
  if (type === 'object' || (type === undefined && isObject(schema['properties']))) return writeObject(schema, context);
  return typeof type === 'string' && PLAIN_NAME.test(type) ? type : 'unknown';
}

function writeArray({ items, prefixItems }: Schema, context: TypeContext): string {
  const members = [prefixItems, items].find(Array.isArray);
  if (members !== undefined) {
    const texts = members.slice(0, MAX_MEMBERS).map((member) => writeSchema(member, context));
    return `[${[...texts, ...(members.length > MAX_MEMBERS ? [ELLIPSIS] : [])].join(', ')}]`;
  }
  return `${grouped(writeSchema(items, context))}[]`;
}

function writeObject({ properties, required, additionalProperties }: Schema, context: TypeContext): string {
  const inside = { ...context, depth: context.depth - 1 };
  const entries = isObject(properties) ? Object.entries(properties) : [];
  if (entries.length === 0 && !isObject(additionalProperties)) return 'object';
  if (context.depth <= 0) return `{${ELLIPSIS}}`;
  if (entries.length === 0) return `{[key]: ${writeSchema(additionalProperties, inside)}}`;
  const needed = new Set(Array.isArray(required) ? required : []);
  const texts = entries
    .slice(0, MAX_MEMBERS)
    .map(([name, value]) => `${propertyName(name)}${needed.has(name) ? '' : '?'}: ${writeSchema(value, inside)}`);
  return `{${[...texts, ...(entries.length > MAX_MEMBERS ? [ELLIPSIS] : [])].join(', ')}}`;
}

/** Adds parentheses around a top-level union or intersection, but not around a nested one. */
function grouped(text: string): string {
  let depth = 0;
  for (const char of text) {
    if ('{[('.includes(char)) depth++;
    else if ('}])'.includes(char)) depth--;
    else if (depth === 0 && (char === '|' || char === '&')) return `(${text})`;
  }
  return text;
}

function literal(value: unknown): string {
  if (isObject(value)) return `{${ELLIPSIS}}`;
  if (Array.isArray(value)) return `[${ELLIPSIS}]`;
  if (typeof value !== 'string') return JSON.stringify(value);
  const isLong = value.length > MAX_LITERAL;
  return escapeInvisible(JSON.stringify(isLong ? `${value.slice(0, MAX_LITERAL - 1)}${ELLIPSIS}` : value));
}
