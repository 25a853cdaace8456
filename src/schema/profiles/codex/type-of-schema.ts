import { mayHaveLargeNumbers, mendNumbers } from '../large-numbers.ts';
import { isComposed, type Parts } from './schema-keywords.ts';
import { note, valueText, type Writing } from './schema-writer.ts';
import { ALL_TYPES, declaredTypes, OBJECT_TYPE, typesOfValues } from './types.ts';

/** The values that are allowed. */
export interface Choices {
  readonly values: readonly unknown[];
  /** Undefined when only their types are told. */
  readonly text: string | undefined;
}

export function readChoices(writing: Writing, parts: Parts): Choices | undefined {
  const keyword = parts.const === undefined ? 'enum' : 'const';
  const value = parts[keyword];
  if (value === undefined) return undefined;
  const values: readonly unknown[] = keyword === 'const' ? [value] : Array.isArray(value) ? value : [];
  if (values.length === 0) {
    note(writing, 'enum left out', 'it has no values');
    return undefined;
  }
  const isShort = values.length <= writing.thrift.maxChoices;
  if (isShort && values.length * BYTES_PER_VALUE > writing.thrift.maxBytes) {
    writing.isOver = true;
    return undefined;
  }
  const text = isShort ? valueText(writing, keyword, value) : undefined;
  if (text !== undefined && values.some((choice) => isUnreadable(writing, choice))) {
    note(writing, `${keyword} left out`, UNREADABLE);
    parts.choices = text;
    return { values, text: undefined };
  }
  if (text === undefined) note(writing, `${keyword} left out`, 'it is too much for Codex');
  else if (keyword === 'const') note(writing, 'const became enum', 'Codex makes it one of texts');
  if (text === undefined) return { values, text };
  // Where a name is written twice, the number of the first one means nothing, and still cannot be read.
  const readable = mayHaveLargeNumbers(text) ? (mendNumbers(text)?.json ?? text) : text;
  return { values, text: keyword === 'const' ? `[${readable}]` : readable };
}

/** Minimum bytes per value, comma included. So millions of values need not be written out to find that they do not fit. */
const BYTES_PER_VALUE = 2;

const UNREADABLE = 'it holds a number that no double holds, or is too deep: not every reader takes it';

/** Whether some number in it is one that no double holds: a parser makes infinity of it. What is very deep counts too. */
function isUnreadable(writing: Writing, value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return !Number.isFinite(value);
  if (typeof value !== 'object' || value === null) return false;
  writing.mayBeDeep = true;
  return depth === MAX_VALUE_DEPTH || Object.values(value).some((inner) => isUnreadable(writing, inner, depth + 1));
}

const MAX_VALUE_DEPTH = 100;

/** Undefined for a schema that Codex takes without a type, since it says by other schemas what it means. */
export function readTypes(writing: Writing, parts: Parts, choices: Choices | undefined): readonly string[] | undefined {
  const { place } = parts;
  if (place.depth === 0) return topType(writing, parts);
  const declared = declaredTypes(parts.type);
  if (declared !== undefined) return withNull(writing, parts, declared);
  if (parts.type !== undefined) note(writing, 'type left out', 'it is none that JSON Schema knows');
  if (choices !== undefined) {
    if (parts.const === undefined) note(writing, 'the types of the values added', 'Codex takes them for text');
    return typesOfValues(choices.values);
  }
  if (parts.reference !== undefined || isComposed(parts, writing.thrift.maxBranches)) return undefined;
  const types = place.known ?? ALL_TYPES;
  note(writing, 'type added: ', NO_TYPE, types === ALL_TYPES ? 'every type' : types.join(' or '));
  return types;
}

const NO_TYPE = 'Codex drops the description of a schema without a type, or guesses the type';

/** The arguments of a call are always an object. */
function topType(writing: Writing, { type }: Parts): readonly string[] {
  if (type !== 'object') note(writing, 'type became object', 'the arguments of a call are an object');
  return OBJECT_TYPE;
}

function withNull(writing: Writing, { nullable, type }: Parts, types: readonly string[]): readonly string[] {
  if (Array.isArray(type) && type.length !== types.length) note(writing, 'type named once', 'it was named twice');
  if (nullable !== true || types.includes('null')) return types;
  note(writing, 'nullable became the type null', 'Codex drops nullable');
  return [...types, 'null'];
}
