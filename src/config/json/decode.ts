import type { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { toConfigError } from '../problem.ts';
import { childOf, formatJsonPath, type JsonMember, type JsonValue, lineOf, membersOf } from './json-value.ts';

/**
 * Decoders from a position in a file to a typed value. Each throws an error that names the file, the line, the key and
 * the expected type. Errors never contain values, which may be secrets.
 */

/**
 * Returns the value of the first of these keys that is present; `null` counts as absent. Throws if `value` is not an
 * object.
 */
export function pick(value: JsonValue, ...keys: readonly string[]): JsonValue | undefined {
  const object = readObject(value);
  for (const key of keys) {
    // Most keys are absent, and this runs for every key of every server: the cheap check comes first.
    const content = object[key];
    if (content !== undefined && content !== null && Object.hasOwn(object, key)) return childOf(value, key);
  }
  return undefined;
}

/** Decodes the value that `pick` finds; undefined if there is none. */
export function readOptional<T>(
  value: JsonValue,
  read: (found: JsonValue) => T,
  ...keys: readonly string[]
): T | undefined {
  const found = pick(value, ...keys);
  return found === undefined ? undefined : read(found);
}

/** Picks the value of a key that must not occur twice: a JSON parser keeps the last one and drops the others. */
export function pickUnique(value: JsonValue, key: string): JsonValue | undefined {
  if (pick(value, key) === undefined) return undefined;
  const found = membersOf(value).filter((member) => member.key === key);
  const [first] = found;
  if (first === undefined || found.length === 1) return first?.value;
  throw errorAt(first.value, `"${key}" appears more than once, in lines ${formatLines(found)}: keep one.`);
}

/** Returns the members in file order, duplicates included, with their lines. */
export function readMembers(value: JsonValue): readonly JsonMember[] {
  readObject(value);
  return membersOf(value);
}

export function readObject(value: JsonValue): Readonly<Record<string, unknown>> {
  if (!isObject(value.content)) throw typeMismatch(value, 'an object');
  return value.content;
}

export function readList(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value.content)) throw typeMismatch(value, 'a list');
  return value.content.map((_, index) => childOf(value, index));
}

export function readString(value: JsonValue): string {
  const { content } = value;
  if (isUsableString(content)) return content;
  if (typeof content !== 'string') throw typeMismatch(value, 'a string');
  throw errorAt(value, `${formatJsonPath(value)} may not contain a NUL character.`);
}

/** Returns whether a string can be passed to a program. Checked here, where the line is known. */
function isUsableString(content: unknown): content is string {
  return typeof content === 'string' && !content.includes('\0');
}

export function readNonEmptyString(value: JsonValue): string {
  const text = readString(value);
  if (text.trim() === '') throw errorAt(value, `${formatJsonPath(value)} may not be empty.`);
  return text;
}

export function readBoolean(value: JsonValue): boolean {
  if (typeof value.content !== 'boolean') throw typeMismatch(value, 'true or false');
  return value.content;
}

export function readStrings(value: JsonValue): readonly string[] {
  if (!Array.isArray(value.content)) throw typeMismatch(value, 'a list of strings');
  return value.content.map((item: unknown, index) => (isUsableString(item) ? item : readString(childOf(value, index))));
}

/** Reads an object of strings. `checkName` returns why a name is invalid, or undefined. */
export function readStringMap(
  value: JsonValue,
  checkName: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(readObject(value)).map(([name, content]) => {
      const fault = checkName(name);
      if (fault !== undefined) throw errorAt(childOf(value, name), `${formatJsonPath(childOf(value, name))}: ${fault}`);
      return [name, isUsableString(content) ? content : readString(childOf(value, name))];
    }),
  );
}

export function readOneOf<T extends string>(value: JsonValue, words: readonly T[]): T {
  const word = words.find((candidate) => candidate === value.content);
  if (word !== undefined) return word;
  const choice = `one of ${words.map((each) => JSON.stringify(each)).join(', ')}`;
  if (typeof value.content === 'string') throw errorAt(value, `${formatJsonPath(value)} must be ${choice}.`);
  throw typeMismatch(value, choice);
}

/** Reads a positive duration that a timer supports, in whole milliseconds. */
export function readMilliseconds(value: JsonValue): number {
  return readTime(value, { unit: 'milliseconds', unitMs: 1 });
}

/** Reads the same duration, written in seconds. */
export function readSeconds(value: JsonValue): number {
  return readTime(value, { unit: 'seconds', unitMs: 1000 });
}

function readTime(value: JsonValue, { unit, unitMs }: { readonly unit: string; readonly unitMs: number }): number {
  if (typeof value.content !== 'number') throw typeMismatch(value, `a number of ${unit}`);
  const ms = Math.ceil(value.content * unitMs);
  if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
  throw errorAt(value, `${formatJsonPath(value)} must be a number of ${unit} above 0 and below 25 days.`);
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function errorAt(value: JsonValue, message: string): AppError {
  return toConfigError({ file: value.text.file, line: lineOf(value), message });
}

const MAX_LINES = 10;

/** Formats line numbers: `3, 7 and 9`. */
export function formatLines(members: readonly { readonly line: number }[]): string {
  const lines = members.slice(0, MAX_LINES).map(({ line }) => line);
  if (members.length > MAX_LINES) return `${lines.join(', ')} and more`;
  return `${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`;
}

function typeMismatch(value: JsonValue, expected: string): AppError {
  return errorAt(
    value,
    `${formatJsonPath(value) || 'The file'} must be ${expected}, but is ${describeType(value.content)}.`,
  );
}

function describeType(content: unknown): string {
  if (content === null || typeof content === 'boolean') return String(content);
  if (Array.isArray(content)) return 'a list';
  return typeof content === 'object' ? 'an object' : `a ${typeof content}`;
}
