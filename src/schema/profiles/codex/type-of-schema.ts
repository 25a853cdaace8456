import { mayHaveLargeNumbers, repairNumbers } from '../large-numbers.ts';
import { isComposed, type SchemaKeywords } from './schema-keywords.ts';
import { recordRewrite, type SchemaWriter, valueText } from './schema-writer.ts';
import { ALL_TYPES, declaredTypes, OBJECT_TYPE, typesOfValues } from './types.ts';

/** The allowed values. */
export interface Choices {
  readonly values: readonly unknown[];
  /** Undefined if only their types are written. */
  readonly text: string | undefined;
}

export function readChoices(writer: SchemaWriter, keywords: SchemaKeywords): Choices | undefined {
  const keyword = keywords.const === undefined ? 'enum' : 'const';
  const value = keywords[keyword];
  if (value === undefined) return undefined;
  const values: readonly unknown[] = keyword === 'const' ? [value] : Array.isArray(value) ? value : [];
  if (values.length === 0) {
    recordRewrite(writer, 'enum left out', 'it has no values');
    return undefined;
  }
  const isShort = values.length <= writer.budget.maxChoices;
  if (isShort && values.length * BYTES_PER_VALUE > writer.budget.maxBytes) {
    writer.hasOversizedPart = true;
    return undefined;
  }
  const text = isShort ? valueText(writer, keyword, value) : undefined;
  if (text !== undefined && values.some((choice) => isUnreadable(writer, choice))) {
    recordRewrite(writer, `${keyword} left out`, UNREADABLE);
    keywords.choices = text;
    return { values, text: undefined };
  }
  if (text === undefined) recordRewrite(writer, `${keyword} left out`, 'it is too large for Codex');
  else if (keyword === 'const') recordRewrite(writer, 'const became enum', 'Codex turns it into an enum of text');
  if (text === undefined) return { values, text };
  // If a name occurs twice, the number under the first has no effect, and still cannot be parsed.
  const readable = mayHaveLargeNumbers(text) ? (repairNumbers(text)?.json ?? text) : text;
  return { values, text: keyword === 'const' ? `[${readable}]` : readable };
}

/**
 * Minimum bytes per value, comma included, so that millions of values need not be written out to find that they do not
 * fit.
 */
const BYTES_PER_VALUE = 2;

const UNREADABLE =
  'it contains a number that no double can represent, or is nested too deeply: not every parser accepts it';

/**
 * Returns whether the value contains a number that no double holds, which a parser turns into infinity, or is very
 * deep.
 */
function isUnreadable(writer: SchemaWriter, value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  writer.mayBeDeep = true;
  return depth === MAX_VALUE_DEPTH || Object.values(value).some((inner) => isUnreadable(writer, inner, depth + 1));
}

const MAX_VALUE_DEPTH = 100;

/**
 * Returns the types of a schema; undefined if Codex accepts it without one, because other schemas define its meaning.
 */
export function readTypes(
  writer: SchemaWriter,
  keywords: SchemaKeywords,
  choices: Choices | undefined,
): readonly string[] | undefined {
  const { context } = keywords;
  if (context.depth === 0) return topType(writer, keywords);
  const declared = declaredTypes(keywords.type);
  if (declared !== undefined) return withNull(writer, keywords, declared);
  if (keywords.type !== undefined) recordRewrite(writer, 'type left out', 'it is not a JSON Schema type');
  if (choices !== undefined) {
    if (keywords.const === undefined)
      recordRewrite(writer, 'the types of the values added', 'Codex treats them as text');
    return typesOfValues(choices.values);
  }
  if (keywords.reference !== undefined || isComposed(keywords, writer.budget.maxBranches)) return undefined;
  const types = context.knownTypes ?? ALL_TYPES;
  recordRewrite(writer, 'type added: ', NO_TYPE, types === ALL_TYPES ? 'every type' : types.join(' or '));
  return types;
}

const NO_TYPE = 'Codex drops the description of a schema without a type, or guesses the type';

/** Returns the type of the root: the arguments of a call are always an object. */
function topType(writer: SchemaWriter, { type }: SchemaKeywords): readonly string[] {
  if (type !== 'object') recordRewrite(writer, 'type became object', 'the arguments of a call are an object');
  return OBJECT_TYPE;
}

function withNull(
  writer: SchemaWriter,
  { nullable, type }: SchemaKeywords,
  types: readonly string[],
): readonly string[] {
  if (Array.isArray(type) && type.length !== types.length)
    recordRewrite(writer, 'duplicate type removed', 'it was listed twice');
  if (nullable !== true || types.includes('null')) return types;
  recordRewrite(writer, 'nullable became the type null', 'Codex drops nullable');
  return [...types, 'null'];
}
