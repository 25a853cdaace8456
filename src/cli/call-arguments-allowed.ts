import { visible } from '../config/visible-text.ts';
import { type Alternative, alternativesOf, type PlainType, type Schema } from './call-arguments-schema.ts';

/** What a schema allows, in words: `integer ≥ 1`, `"a" or "b"`, `list of text`. */
export function allowedText(schema: unknown, root: unknown, depth = 0): string {
  const texts = alternativesOf(schema, root).map((one) => alternativeText(one, root, depth));
  const shown = [...new Set(texts)];
  const more = shown.length > MAX_CHOICES ? ' …' : '';
  return shown.length === 0 ? 'anything' : `${shown.slice(0, MAX_CHOICES).join(' or ')}${more}`;
}

/** With its article, after "is not". */
export const TYPE_WORDS: Readonly<Record<PlainType, string>> = {
  string: 'text',
  number: 'a number',
  integer: 'an integer',
  boolean: 'true or false',
  null: 'null',
  array: 'a list',
  object: 'an object',
};

/** A value as it was given, short. */
export function shownValue(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return visible(text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN - 1)}…`);
}

const MAX_CHOICES = 12;
const MAX_SHOWN = 60;
const MAX_DEPTH = 2;

function alternativeText({ type, schema }: Alternative, root: unknown, depth: number): string {
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
        depth < MAX_DEPTH && schema['items'] !== undefined ? allowedText(schema['items'], root, depth + 1) : '';
      const of = items === '' || items === 'anything' ? '' : ` of ${items}`;
      return `list${of}${partsText([lengthText(schema, 'Items', 'element')])}`;
    }
    case 'boolean':
      return 'true or false';
    case 'null':
    case 'object':
      return type;
    case undefined:
      return 'anything';
  }
}

function choicesText(choices: readonly unknown[]): string {
  const shown = choices.slice(0, MAX_CHOICES).map(shownValue);
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
    typeof format === 'string' ? `in the form ${shownValue(format)}` : '',
    typeof pattern === 'string' ? `matching ${shownValue(pattern)}` : '',
  ];
  return words.filter((word) => word !== '').join(' ');
}

function partsText(parts: readonly string[]): string {
  return parts.map((part) => (part === '' ? '' : ` ${part}`)).join('');
}
