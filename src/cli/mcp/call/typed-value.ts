import { alternativesOf, type PlainType } from '../../input-schema/alternatives.ts';
import { isTooLong, numbersIn, parseExact } from './exact-json.ts';

/**
 * A value as it was typed, read as the schema wants it: the first of its alternatives that the text can be, text last.
 * What fits none of them stays text, so that whoever checks it can say what was given. A schema that says nothing takes
 * what looks like JSON, and text otherwise.
 */
export function toTyped(text: string, schema: unknown, root: unknown): unknown {
  const alternatives = alternativesOf(schema, root);
  for (const { schema: one } of alternatives) {
    const choice = choicesOf(one).find((value) => value === text || JSON.stringify(value) === text);
    if (choice !== undefined) return choice;
  }
  if (alternatives.length === 0) return guess(text);
  for (const { type } of alternatives.filter((one) => one.type !== 'string')) {
    const read = type === undefined ? { value: guess(text) } : READERS[type](text);
    if (read !== undefined) return read.value;
  }
  const list = alternatives.find(({ type }) => type === 'array');
  if (list === undefined || alternatives.some(({ type }) => type === 'string')) return text;
  return [toTyped(text, list.schema['items'], root)];
}

/** Several values of one key: a list of them. Undefined: the schema takes one value only. */
export function toTypedList(texts: readonly string[], schema: unknown, root: unknown): unknown {
  const alternatives = alternativesOf(schema, root);
  const list = alternatives.find(({ type }) => type === 'array');
  if (list === undefined && alternatives.some(({ type }) => type !== undefined)) return undefined;
  return texts.map((text) => toTyped(text, list?.schema['items'], root));
}

/** The first number in a JSON text that would not arrive: beyond 1e308 nothing of it is left. Digits alone always do. */
export function findLost(json: string): string | undefined {
  return numbersIn(json).find((number) => !isKept(number));
}

function isKept(number: string): boolean {
  return isTooLong(number) || Number.isFinite(Number(number));
}

type Read = { readonly value: unknown } | undefined;

const READERS: Readonly<Record<PlainType, (text: string) => Read>> = {
  string: (text) => ({ value: text }),
  number: readNumber,
  integer: (text) => (isTooLong(text) || Number.isInteger(Number(text)) ? readNumber(text) : undefined),
  boolean: (text) => (text === 'true' || text === 'false' ? { value: text === 'true' } : undefined),
  null: (text) => (text === 'null' ? { value: null } : undefined),
  array: (text) => readJson(text, '['),
  object: (text) => readJson(text, '{'),
};

const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

function readNumber(text: string): Read {
  return NUMBER.test(text) && isKept(text) ? { value: parseExact(text) } : undefined;
}

function readJson(text: string, bracket: '[' | '{'): Read {
  if (!text.trimStart().startsWith(bracket)) return undefined;
  try {
    const value = parseExact(text);
    return findLost(text) === undefined ? { value } : undefined;
  } catch {
    // Then it is not what is wanted, and whoever checks it says so.
    return undefined;
  }
}

function guess(text: string): unknown {
  if (/^(?:true|false|null)$/.test(text)) return JSON.parse(text);
  return (readNumber(text) ?? readJson(text, '[') ?? readJson(text, '{'))?.value ?? text;
}

function choicesOf(schema: Readonly<Record<string, unknown>>): readonly unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return schema['const'] === undefined ? [] : [schema['const']];
}
