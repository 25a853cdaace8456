import type { AppError } from '../../base/errors.ts';
import { isObject } from '../../wire/messages.ts';
import { toError } from '../problem.ts';
import { childOf, type JsonMember, type JsonValue, lineOf, membersOf, pathOfValue } from './json-value.ts';

/**
 * From a place in a file to a typed value. Each throws an error that names the file, the line, the key and what was
 * expected there. Values may be secrets and are never part of it.
 */

/** The value under the first of these keys that is there; `null` is like nothing. Throws when it is in no object. */
export function pick(value: JsonValue, ...keys: readonly string[]): JsonValue | undefined {
  const object = readObject(value);
  for (const key of keys) {
    // Most keys are not there, and this is asked for every key of every server: the cheap question first.
    const content = object[key];
    if (content !== undefined && content !== null && Object.hasOwn(object, key)) return childOf(value, key);
  }
  return undefined;
}

/** What `read` makes of that value; undefined when there is none. */
export function take<T>(value: JsonValue, read: (found: JsonValue) => T, ...keys: readonly string[]): T | undefined {
  const found = pick(value, ...keys);
  return found === undefined ? undefined : read(found);
}

/** The same for a key that must not be there twice: a reader of JSON keeps the last and loses the rest. */
export function pickOnce(value: JsonValue, key: string): JsonValue | undefined {
  if (pick(value, key) === undefined) return undefined;
  const found = membersOf(value).filter((member) => member.key === key);
  const [first] = found;
  if (first === undefined || found.length === 1) return first?.value;
  throw faultAt(first.value, `"${key}" is there more than once, in lines ${linesOf(found)}: keep one.`);
}

/** In the order of the file, repeated ones included, with their lines. */
export function readMembers(value: JsonValue): readonly JsonMember[] {
  readObject(value);
  return membersOf(value);
}

export function readObject(value: JsonValue): Readonly<Record<string, unknown>> {
  if (!isObject(value.content)) throw wrong(value, 'an object');
  return value.content;
}

export function readList(value: JsonValue): readonly JsonValue[] {
  if (!Array.isArray(value.content)) throw wrong(value, 'a list');
  return value.content.map((_, index) => childOf(value, index));
}

export function readString(value: JsonValue): string {
  const { content } = value;
  if (isSound(content)) return content;
  if (typeof content !== 'string') throw wrong(value, 'a string');
  throw faultAt(value, `${pathOfValue(value)} may not contain a NUL character.`);
}

/** What no program could be given is refused here, where the line is known. */
function isSound(content: unknown): content is string {
  return typeof content === 'string' && !content.includes('\0');
}

export function readFilledString(value: JsonValue): string {
  const text = readString(value);
  if (text.trim() === '') throw faultAt(value, `${pathOfValue(value)} may not be empty.`);
  return text;
}

export function readBoolean(value: JsonValue): boolean {
  if (typeof value.content !== 'boolean') throw wrong(value, 'true or false');
  return value.content;
}

export function readStrings(value: JsonValue): readonly string[] {
  if (!Array.isArray(value.content)) throw wrong(value, 'a list of strings');
  return value.content.map((item: unknown, index) => (isSound(item) ? item : readString(childOf(value, index))));
}

/** `nameFault` says what is wrong with a name, or nothing. */
export function readStringMap(
  value: JsonValue,
  nameFault: (name: string) => string | undefined,
): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(readObject(value)).map(([name, content]) => {
      const fault = nameFault(name);
      if (fault !== undefined) throw faultAt(childOf(value, name), `${pathOfValue(childOf(value, name))}: ${fault}`);
      return [name, isSound(content) ? content : readString(childOf(value, name))];
    }),
  );
}

export function readWord<T extends string>(value: JsonValue, words: readonly T[]): T {
  const word = words.find((candidate) => candidate === value.content);
  if (word !== undefined) return word;
  const choice = `one of ${words.map((each) => JSON.stringify(each)).join(', ')}`;
  if (typeof value.content === 'string') throw faultAt(value, `${pathOfValue(value)} must be ${choice}.`);
  throw wrong(value, choice);
}

/** A time above 0 that a timer can wait, in whole milliseconds. */
export function readMilliseconds(value: JsonValue): number {
  return readTime(value, { unit: 'milliseconds', unitMs: 1 });
}

/** The same, written in seconds. */
export function readSeconds(value: JsonValue): number {
  return readTime(value, { unit: 'seconds', unitMs: 1000 });
}

function readTime(value: JsonValue, { unit, unitMs }: { readonly unit: string; readonly unitMs: number }): number {
  if (typeof value.content !== 'number') throw wrong(value, `a number of ${unit}`);
  const ms = Math.ceil(value.content * unitMs);
  if (ms > 0 && ms <= MAX_TIMER_MS) return ms;
  throw faultAt(value, `${pathOfValue(value)} must be a number of ${unit} above 0 and below 25 days.`);
}

const MAX_TIMER_MS = 2 ** 31 - 1;

export function faultAt(value: JsonValue, message: string): AppError {
  return toError({ file: value.text.file, line: lineOf(value), message });
}

const MAX_LINES = 10;

/** `3, 7 and 9` */
export function linesOf(members: readonly { readonly line: number }[]): string {
  const lines = members.slice(0, MAX_LINES).map(({ line }) => line);
  if (members.length > MAX_LINES) return `${lines.join(', ')} and more`;
  return `${lines.slice(0, -1).join(', ')} and ${lines.at(-1)}`;
}

function wrong(value: JsonValue, expected: string): AppError {
  return faultAt(value, `${pathOfValue(value) || 'The file'} must be ${expected}, but is ${kindOf(value.content)}.`);
}

function kindOf(content: unknown): string {
  if (content === null || typeof content === 'boolean') return String(content);
  if (Array.isArray(content)) return 'a list';
  return typeof content === 'object' ? 'an object' : `a ${typeof content}`;
}
