import { escapeInvisible } from '../../base/text/visible-text.ts';
import { isObject } from '../../wire/messages.ts';
import { type Alternative, alternativesOf, type JsonType, resolveReference, type Schema } from './alternatives.ts';

/** Describes the values that a schema allows: `integer ≥ 1`, `"a" or "b"`, `list of text`. */
export function describeAllowed(written: unknown, root: unknown, depth = 0): string {
  const schema = isObject(written) && written['$ref'] !== undefined ? resolveReference(written['$ref'], root) : written;
  if (isObject(schema) && Array.isArray(schema['allOf']) && depth < MAX_DEPTH)
    return describeAllOf(schema, root, depth);
  const texts = alternativesOf(schema, root).map((one) => describeAlternative(one, root, depth));
  const shown = [...new Set(texts)];
  const more = shown.length > MAX_CHOICES ? ' …' : '';
  return shown.length === 0 || shown.includes(ANYTHING)
    ? ANYTHING
    : `${shown.slice(0, MAX_CHOICES).join(' or ')}${more}`;
}

/** Description of an unrestricted schema. */
export const ANYTHING = 'anything';

/** With an article, for use after "is not". */
export const TYPE_NAMES: Readonly<Record<JsonType, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
};

/** Formats a value, truncated. */
export function formatValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return escapeInvisible(text.length <= MAX_VALUE_LENGTH ? text : `${text.slice(0, MAX_VALUE_LENGTH - 1)}…`);
}

const MAX_CHOICES = 12;
const MAX_VALUE_LENGTH = 60;
const MAX_DEPTH = 2;

/** Combines the descriptions of all members and of the schema's own keywords. */
function describeAllOf({ allOf, ...own }: Schema, root: unknown, depth: number): string {
  const parts = [own, ...(Array.isArray(allOf) ? allOf : [])].map((part) => describeAllowed(part, root, depth + 1));
  const shown = [...new Set(parts)].filter((part) => part !== ANYTHING);
  return shown.length === 0 ? ANYTHING : shown.slice(0, MAX_CHOICES).join(' and ');
}

function describeAlternative({ type, schema }: Alternative, root: unknown, depth: number): string {
  const choices = Array.isArray(schema['enum'])
    ? schema['enum']
    : schema['const'] === undefined
      ? []
      : [schema['const']];
  if (choices.length > 0) return choicesText(choices);
  switch (type) {
    case 'string':
      return `text${partsText([lengthText(schema, 'Length', 'character'), formatText(schema)])}`;
    case 'number':
    case 'integer':
      return `${type}${partsText([rangeText(schema)])}`;
    case 'array': {
      const items =
        depth < MAX_DEPTH && schema['items'] !== undefined ? describeAllowed(schema['items'], root, depth + 1) : '';
      const of = items === '' || items === ANYTHING ? '' : ` of ${items}`;
      return `list${of}${partsText([lengthText(schema, 'Items', 'element')])}`;
    }
    case 'boolean':
      return 'true or false';
    case 'null':
      return type;
    case 'object':
      return `object${requiredText(schema)}`;
    // A subschema often restricts range or length and leaves the type to another one.
    case undefined: {
      const needed = requiredText(schema);
      const parts = [rangeText(schema), lengthText(schema, 'Length', 'character'), formatText(schema)];
      return needed === '' ? partsText(parts).trim() || ANYTHING : `object${needed}`;
    }
  }
}

/** Required properties distinguish several object alternatives. */
function requiredText({ required }: Schema): string {
  const names = Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
  return names.length === 0 ? '' : ` with ${names.slice(0, MAX_CHOICES).map(escapeInvisible).join(', ')}`;
}

function choicesText(choices: readonly unknown[]): string {
  const shown = choices.slice(0, MAX_CHOICES).map(formatValue);
  const last = shown.pop() ?? '';
  if (choices.length > MAX_CHOICES) return `${[...shown, last].join(', ')} … (${choices.length} in all)`;
  return shown.length === 0 ? last : `${shown.join(', ')} or ${last}`;
}

function rangeText({ minimum, maximum, exclusiveMinimum, exclusiveMaximum, multipleOf }: Schema): string {
  const bounds = [
    ['≥', minimum],
    ['>', exclusiveMinimum],
    ['≤', maximum],
    ['<', exclusiveMaximum],
    ['multiple of', multipleOf],
  ];
  return bounds
    .filter(([, bound]) => typeof bound === 'number')
    .map((pair) => pair.join(' '))
    .join(' and ');
}

function lengthText(schema: Schema, what: 'Length' | 'Items', unit: string): string {
  const [min, max] = [schema[`min${what}`], schema[`max${what}`]];
  const counted = (count: number) => `${count} ${unit}${count === 1 ? '' : 's'}`;
  if (typeof min === 'number' && typeof max === 'number') return `of ${min} to ${counted(max)}`;
  if (typeof min === 'number') return min === 0 ? '' : `of at least ${counted(min)}`;
  return typeof max === 'number' ? `of at most ${counted(max)}` : '';
}

function formatText({ format, pattern }: Schema): string {
  const words = [
    typeof format === 'string' ? `in the form ${formatValue(format)}` : '',
    typeof pattern === 'string' ? `matching ${formatValue(pattern)}` : '',
  ];
  return words.filter((word) => word !== '').join(' ');
}

function partsText(parts: readonly string[]): string {
  return parts.map((part) => (part === '' ? '' : ` ${part}`)).join('');
}
