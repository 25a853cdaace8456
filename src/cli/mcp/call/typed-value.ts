import { alternativesOf, type JsonType } from '../../input-schema/alternatives.ts';
import { losesDigits, numbersIn, parseExact } from './exact-json.ts';

/**
 * Converts typed text to the first alternative of the schema that fits, with text as the last. If none fits, keeps the
 * text, so that validation can report it. Without a type in the schema, parses what looks like JSON and keeps anything
 * else as text.
 */
export function parseTypedValue(text: string, schema: unknown, root: unknown): unknown {
  const alternatives = alternativesOf(schema, root);
  for (const { schema: one } of alternatives) {
    const choice = choicesOf(one).find((value) => value === text || JSON.stringify(value) === text);
    if (choice !== undefined) return choice;
  }
  if (alternatives.length === 0) return guess(text);
  for (const { type } of alternatives.filter((one) => one.type !== 'string')) {
    const read = type === undefined ? { value: guess(text) } : PARSERS[type](text);
    if (read !== undefined) return read.value;
  }
  const list = alternatives.find(({ type }) => type === 'array');
  if (list === undefined || alternatives.some(({ type }) => type === 'string')) return text;
  return [parseTypedValue(text, list.schema['items'], root)];
}

/** Converts several values of one key into a list. Undefined when the schema takes only one value. */
export function parseTypedList(texts: readonly string[], schema: unknown, root: unknown): unknown {
  const alternatives = alternativesOf(schema, root);
  const list = alternatives.find(({ type }) => type === 'array');
  if (list === undefined && alternatives.some(({ type }) => type !== undefined)) return undefined;
  return texts.map((text) => parseTypedValue(text, list?.schema['items'], root));
}

/**
 * Returns the first number in a JSON text that would be lost: beyond 1e308 it becomes infinite. Plain digits are always
 * exact.
 */
export function findInexactNumber(json: string): string | undefined {
  return numbersIn(json).find((number) => !isExact(number));
}

function isExact(number: string): boolean {
  return losesDigits(number) || Number.isFinite(Number(number));
}

type ParsedValue = { readonly value: unknown } | undefined;

const PARSERS: Readonly<Record<JsonType, (text: string) => ParsedValue>> = {
  string: (text) => ({ value: text }),
  number: parseNumber,
  integer: (text) => (losesDigits(text) || Number.isInteger(Number(text)) ? parseNumber(text) : undefined),
  boolean: (text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : undefined),
  null: (text) => (text === 'null' ? { value: null } : undefined),
  array: (text) => parseJson(text, '['),
  object: (text) => parseJson(text, '{'),
};

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function parseNumber(text: string): ParsedValue {
  return NUMBER.test(text) && isExact(text) ? { value: parseExact(text) } : undefined;
}

function parseJson(text: string, bracket: '[' | '{'): ParsedValue {
  if (!text.trimStart().startsWith(bracket)) return undefined;
  try {
    const value = parseExact(text);
    return findInexactNumber(text) === undefined ? { value } : undefined;
  } catch {
    // The text does not fit this type, and validation reports that.
    return undefined;
  }
}

function guess(text: string): unknown {
  if (/^(?:true|false|null)$/.test(text)) return JSON.parse(text);
  return (parseNumber(text) ?? parseJson(text, '[') ?? parseJson(text, '{'))?.value ?? text;
}

function choicesOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return schema['const'] === undefined ? [] : [schema['const']];
}
