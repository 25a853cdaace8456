import { visible } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';

type Schema = Readonly<Record<string, unknown>>;

/** How much of a type is told. */
export interface TypeDetail {
  /** So many objects inside each other are spelled out. */
  readonly depth: number;
  /** So many values of a choice. */
  readonly choices: number;
}

interface TypeOptions extends TypeDetail {
  /** The schema that references of its parts point into. */
  readonly root: Schema;
}

/** What a JSON Schema allows, in the manner of TypeScript. Never throws and never takes long, whatever it is. */
export function typeText(schema: unknown, options: TypeOptions): string {
  return write(schema, { ...options, hops: 0, budget: { left: MAX_PARTS } });
}

/** A name as it may stand before a colon. */
export function propertyName(name: string): string {
  return PLAIN_NAME.test(name) ? name : literal(name);
}

interface Place extends TypeOptions {
  /** References that were followed to come here. */
  readonly hops: number;
  /** How many parts may still be written: references can make a few bytes mean millions. */
  readonly budget: { left: number };
}

const MAX_PARTS = 200;
const MAX_HOPS = 8;
/** Of parts that all have to fit. */
const MAX_COMBINED = 6;
const MAX_MEMBERS = 12;
const MAX_LITERAL = 40;
const PLAIN_NAME = /^[A-Za-z_$][\w$-]{0,63}$/;
const MANY = '…';

function write(schema: unknown, place: Place): string {
  if (schema === false) return 'never';
  if (!isObject(schema)) return 'unknown';
  if (--place.budget.left < 0) return MANY;
  const { $ref, const: only, enum: values, anyOf, oneOf, allOf, type } = schema;
  if (typeof $ref === 'string') return follow($ref, place);
  if (only !== undefined) return literal(only);
  if (Array.isArray(values)) return choice(values.slice(0, place.choices).map(literal), values.length);
  const choices = [anyOf, oneOf].find((list) => Array.isArray(list) && list.length > 0);
  if (Array.isArray(choices))
    return choice(
      choices.slice(0, place.choices).map((part) => write(part, place)),
      choices.length,
    );
  if (Array.isArray(type))
    return choice(
      type.slice(0, place.choices).map((one) => writeType(one, schema, place)),
      type.length,
    );
  if (type === undefined && Array.isArray(allOf) && allOf.length > 0) return all(allOf, place);
  return writeType(type, schema, place);
}

/** Only inside the schema itself: nothing is fetched. */
function follow(reference: string, place: Place): string {
  if (place.hops >= MAX_HOPS || !reference.startsWith('#')) return 'unknown';
  let at: unknown = place.root;
  for (const step of reference.slice(1).split('/').slice(1)) {
    const key = decode(step);
    if (Array.isArray(at)) at = at[Number(key)];
    else at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return write(at, { ...place, hops: place.hops + 1 });
}

/** RFC 6901, in a fragment. */
function decode(step: string): string {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
  } catch {
    // It is no escape after all.
    return step;
  }
}

function all(parts: readonly unknown[], place: Place): string {
  const texts = parts.slice(0, MAX_COMBINED).map((part) => grouped(write(part, place)));
  const known = [...new Set(texts)].filter((text) => text !== 'unknown');
  return [...known, ...(parts.length > MAX_COMBINED ? [MANY] : [])].join(' & ') || 'unknown';
}

function choice(texts: readonly string[], count: number): string {
  const more = count > texts.length ? [MANY] : [];
  return [...new Set([...texts, ...more])].join(' | ') || 'never';
}

function writeType(type: unknown, schema: Schema, place: Place): string {
  if (type === 'array' || (type === undefined && isObject(schema['items']))) return list(schema, place);
  if (type === 'object' || (type === undefined && isObject(schema['properties']))) return object(schema, place);
  return typeof type === 'string' && PLAIN_NAME.test(type) ? type : 'unknown';
}

function list({ items, prefixItems }: Schema, place: Place): string {
  const members = [prefixItems, items].find(Array.isArray);
  if (members !== undefined) {
    const texts = members.slice(0, MAX_MEMBERS).map((member) => write(member, place));
    return `[${[...texts, ...(members.length > MAX_MEMBERS ? [MANY] : [])].join(', ')}]`;
  }
  return `${grouped(write(items, place))}[]`;
}

function object({ properties, required, additionalProperties }: Schema, place: Place): string {
  const inside = { ...place, depth: place.depth - 1 };
  const entries = isObject(properties) ? Object.entries(properties) : [];
  if (entries.length === 0 && !isObject(additionalProperties)) return 'object';
  if (place.depth <= 0) return `{${MANY}}`;
  if (entries.length === 0) return `{[key]: ${write(additionalProperties, inside)}}`;
  const needed = new Set(Array.isArray(required) ? required : []);
  const texts = entries
    .slice(0, MAX_MEMBERS)
    .map(([name, value]) => `${propertyName(name)}${needed.has(name) ? '' : '?'}: ${write(value, inside)}`);
  return `{${[...texts, ...(entries.length > MAX_MEMBERS ? [MANY] : [])].join(', ')}}`;
}

/** In brackets where several types stand side by side, not where they stand inside another. */
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
  if (isObject(value)) return `{${MANY}}`;
  if (Array.isArray(value)) return `[${MANY}]`;
  if (typeof value !== 'string') return JSON.stringify(value);
  const isLong = value.length > MAX_LITERAL;
  return visible(JSON.stringify(isLong ? `${value.slice(0, MAX_LITERAL - 1)}${MANY}` : value));
}
