import { isObject } from '../../wire/messages.ts';
import type { Schema } from '../input-schema/alternatives.ts';
import { describeAllowed } from '../input-schema/describe-schema.ts';
import { formatFault } from './formats.ts';

/** One field of a form. */
export interface Field {
  readonly name: string;
  readonly kind: 'text' | 'texts' | 'number' | 'integer' | 'boolean' | 'choice' | 'choices';
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly isRequired: boolean;
  /** The value of an empty answer. */
  readonly defaultValue: unknown;
  readonly choices: readonly Choice[];
  readonly schema: Schema;
}

interface Choice {
  readonly value: string;
  readonly title: string;
}

export type FieldAnswer =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'left out' }
  | { readonly kind: 'wrong'; readonly why: string };

/** Reads a field from its schema. An unknown type is treated as text. */
export function readField(name: string, written: unknown, isRequired: boolean): Field {
  const schema = isObject(written) ? written : {};
  const text = (value: unknown) => (typeof value === 'string' && value !== '' ? value : undefined);
  const several = schema['type'] === 'array' && isObject(schema['items']) ? schema['items'] : undefined;
  const choices = choicesOf(several ?? schema);
  return {
    name,
    kind: several === undefined ? singleKind(schema, choices) : choices.length > 0 ? 'choices' : 'texts',
    title: text(schema['title']),
    description: text(schema['description']),
    isRequired,
    defaultValue: schema['default'],
    choices,
    schema,
  };
}

/** Describes the expected value. */
export function describeField({ kind, isRequired, schema }: Field): string {
  const what = {
    text: () => describeAllowed({ ...schema, type: 'string' }, schema),
    texts: () => 'values separated by commas',
    number: () => describeAllowed(schema, schema),
    integer: () => describeAllowed(schema, schema),
    boolean: () => 'yes or no',
    choice: () => 'one of these, by number or name',
    choices: () => 'any of these, by number or name, separated by commas',
  };
  return `${what[kind]()}${isRequired ? '' : ' (optional)'}`;
}

/** Converts the typed text into the field's value, or explains why that is impossible. */
export function readAnswer(field: Field, typed: string): FieldAnswer {
  const text = typed.trim();
  if (text !== '') return READERS[field.kind](text, field);
  if (field.defaultValue !== undefined) return { kind: 'value', value: field.defaultValue };
  return field.isRequired ? invalid('This field is required.') : { kind: 'left out' };
}

const READERS: Readonly<Record<Field['kind'], (text: string, field: Field) => FieldAnswer>> = {
  text: readText,
  texts: (text, { schema }) => checkCount(splitAtCommas(text), schema),
  number: readNumber,
  integer: readNumber,
  boolean: readBoolean,
  choice(text, { choices }) {
    const found = findChoice(text, choices);
    return found === undefined ? invalid(`This is not one of the ${choices.length} options.`) : value(found);
  },
  choices: readChoices,
};

function value(given: unknown): FieldAnswer {
  return { kind: 'value', value: given };
}

function invalid(why: string): FieldAnswer {
  return { kind: 'wrong', why };
}

function readText(text: string, field: Field): FieldAnswer {
  const { minLength, maxLength, format } = field.schema;
  const length = [...text].length;
  const isOutside =
    (typeof minLength === 'number' && length < minLength) || (typeof maxLength === 'number' && length > maxLength);
  const count = `${length} character${length === 1 ? '' : 's'}`;
  if (isOutside) return invalid(`It has ${count}; allowed: ${describeField(field)}.`);
  const fault = formatFault(format, text);
  return fault === undefined ? value(text) : invalid(`${fault}; allowed: ${describeField(field)}.`);
}

function readNumber(text: string, field: Field): FieldAnswer {
  const number = DECIMAL.test(text) ? Number(text) : Number.NaN;
  const { minimum, maximum } = field.schema;
  const fits =
    Number.isFinite(number) &&
    (field.kind === 'number' || Number.isSafeInteger(number)) &&
    !(typeof minimum === 'number' && number < minimum) &&
    !(typeof maximum === 'number' && number > maximum);
  return fits ? value(number) : invalid(`Allowed: ${describeField(field)}.`);
}

const DECIMAL = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

function readBoolean(text: string): FieldAnswer {
  if (/^(y|yes|true)$/i.test(text)) return value(true);
  return /^(n|no|false)$/i.test(text) ? value(false) : invalid('Allowed: yes or no.');
}

function readChoices(text: string, { choices, schema }: Field): FieldAnswer {
  const words = splitAtCommas(text);
  const found = words.map((word) => findChoice(word, choices));
  const unknown = words.find((_, index) => found[index] === undefined);
  if (unknown !== undefined) return invalid(`${JSON.stringify(unknown)} is not one of the ${choices.length} options.`);
  return checkCount([...new Set(found)], schema);
}

function splitAtCommas(text: string): readonly string[] {
  return text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function checkCount(found: readonly unknown[], { minItems, maxItems }: Schema): FieldAnswer {
  if (typeof minItems === 'number' && found.length < minItems) return invalid(`Choose at least ${minItems}.`);
  if (typeof maxItems === 'number' && found.length > maxItems) return invalid(`Choose at most ${maxItems}.`);
  return value(found);
}

/** Finds a choice by value, then by title, then by number. */
function findChoice(text: string, choices: readonly Choice[]): string | undefined {
  const named = choices.find(({ value: one }) => one === text) ?? choices.find(({ title }) => title === text);
  return (named ?? (/^\d+$/.test(text) ? choices[Number(text) - 1] : undefined))?.value;
}

/**
 * Reads the choices in every form of the protocol: `enum` with or without `enumNames`, `oneOf` or `anyOf` with `const`.
 */
function choicesOf({ enum: values, enumNames, oneOf, anyOf }: Schema): readonly Choice[] {
  const titles = Array.isArray(enumNames) ? enumNames : [];
  if (Array.isArray(values))
    return values.map((one, index) => ({ value: String(one), title: String(titles[index] ?? one) }));
  const list = Array.isArray(oneOf) ? oneOf : Array.isArray(anyOf) ? anyOf : [];
  return list
    .filter(isObject)
    .filter((one) => typeof one['const'] === 'string')
    .map((one) => ({ value: String(one['const']), title: String(one['title'] ?? one['const']) }));
}

function singleKind({ type }: Schema, choices: readonly Choice[]): Field['kind'] {
  if (choices.length > 0) return 'choice';
  return type === 'number' || type === 'integer' || type === 'boolean' ? type : 'text';
}
