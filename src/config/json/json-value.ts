import { isUtf8 } from 'node:buffer';
import { isJson } from '../../base/text/is-json.ts';
import { escapeInvisible } from '../../base/text/visible-text.ts';
import { readElements, readMembers } from '../../wire/json/json-text.ts';
import { isObject } from '../../wire/messages.ts';
import { toConfigError } from '../problem.ts';
import { blankComments } from './comments.ts';
import { findJsonSyntaxError, type JsonSyntaxError } from './json-syntax-error.ts';

/** A value inside a file: its content, and its position for messages. */
export interface JsonValue {
  readonly text: JsonText;
  readonly content: unknown;
  readonly position: Position;
}

type Position =
  | { readonly kind: 'top'; readonly start: number }
  /** `start` is computed on demand, which is rare: only errors need it. */
  | {
      readonly kind: 'inside';
      readonly start: number | undefined;
      readonly parent: JsonValue;
      readonly key: string | number;
    };

export interface JsonMember {
  readonly key: string;
  /** Line of the key, counted from 1. */
  readonly line: number;
  readonly value: JsonValue;
}

interface JsonText {
  readonly file: string;
  readonly whole: string;
  /** The offset of the first character of every line. */
  readonly lineStarts: readonly number[];
}

/**
 * Parses a whole file as one value. Throws if it is not JSON, with the position of the error. With `allowsComments`,
 * accepts comments and trailing commas.
 */
export function parseJsonText(
  file: string,
  content: Buffer,
  { allowsComments = false }: { readonly allowsComments?: boolean } = {},
): JsonValue {
  const bytes = content.subarray(bomLength(content));
  const fail = (line: number, message: string) => toConfigError({ file, line, message });
  if (isUtf16(content)) throw fail(1, 'The file is UTF-16 and must be UTF-8: save it again as UTF-8.');
  if (!isUtf8(bytes)) throw fail(1, 'The file is not valid UTF-8: save it again as UTF-8.');
  const written = bytes.toString('utf8');
  const whole = allowsComments && !isJson(written) ? blankComments(written) : written;
  if (whole.trim() === '') throw fail(1, 'The file is empty: put servers in it, or remove it.');
  try {
    const text = { file, whole, lineStarts: findLineStarts(whole) };
    return { text, content: JSON.parse(whole), position: { kind: 'top', start: whole.search(/\S/) } };
  } catch {
    // The engine's messages change from version to version, and often contain no position.
    const fault = findSyntaxError(whole, allowsComments);
    const before = whole.slice(0, fault.offset).split('\n');
    throw fail(before.length, `Not JSON at column ${(before.at(-1)?.length ?? 0) + 1}: ${fault.message}.`);
  }
}

function findSyntaxError(whole: string, allowsComments: boolean): JsonSyntaxError {
  const fault = findJsonSyntaxError(whole) ?? { offset: 0, message: 'this is not JSON' };
  if (!allowsComments || !whole.startsWith('/*', fault.offset)) return fault;
  return { ...fault, message: 'the comment that begins here is not closed' };
}

/** Returns the value under a key or an index, which must exist. */
export function childOf(parent: JsonValue, key: string | number): JsonValue {
  return {
    text: parent.text,
    content: contentAt(parent.content, key),
    position: { kind: 'inside', start: undefined, parent, key },
  };
}

/** Returns the members of an object in file order, duplicates included, with their lines. */
export function membersOf(parent: JsonValue): readonly JsonMember[] {
  const { text, content } = parent;
  return readMembers(text.whole, startOf(parent)).map(({ key, keyStart, start }) => ({
    key,
    line: lineAt(text, keyStart),
    value: { text, content: contentAt(content, key), position: { kind: 'inside', start, parent, key } },
  }));
}

/** Returns the elements of a list, for callers that need the lines of all. */
export function elementsOf(parent: JsonValue): readonly JsonValue[] {
  const { text, content } = parent;
  return readElements(text.whole, startOf(parent)).map(({ start }, key) => ({
    text,
    content: contentAt(content, key),
    position: { kind: 'inside', start, parent, key },
  }));
}

/** Returns the line of a value, counted from 1. */
export function lineOf(value: JsonValue): number {
  return lineAt(value.text, startOf(value));
}

/** Formats the path of a value for messages: `mcpServers.fetch.args[1]`; empty for the whole file. */
export function formatJsonPath({ position }: JsonValue): string {
  if (position.kind === 'top') return '';
  const { parent, key } = position;
  const path = formatJsonPath(parent);
  if (typeof key === 'number') return `${path}[${key}]`;
  if (!/^[\w-]{1,100}$/.test(key)) return `${path}[${escapeInvisible(JSON.stringify(key.slice(0, 100)))}]`;
  return path === '' ? key : `${path}.${key}`;
}

function startOf({ text, position }: JsonValue): number {
  if (position.kind === 'top') return position.start;
  if (position.start !== undefined) return position.start;
  const { parent, key } = position;
  const start = startOf(parent);
  if (typeof key === 'number') return readElements(text.whole, start)[key]?.start ?? start;
  // If a key occurs twice, the last one counts.
  return readMembers(text.whole, start).findLast((member) => member.key === key)?.start ?? start;
}

function contentAt(content: unknown, key: string | number): unknown {
  if (Array.isArray(content)) return content[Number(key)];
  return isObject(content) ? content[key] : undefined;
}

function lineAt({ lineStarts }: JsonText, offset: number): number {
  let low = 0;
  let high = lineStarts.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((lineStarts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
}

function findLineStarts(text: string): readonly number[] {
  let start = 0;
  return text.split('\n').map((line) => {
    const found = start;
    start += line.length + 1;
    return found;
  });
}

/** Returns the length of the byte order mark that some editors write. Lines and columns do not count it. */
function bomLength(content: Buffer): number {
  return content[0] === 0xef && content[1] === 0xbb && content[2] === 0xbf ? 3 : 0;
}

/** Returns whether a file is UTF-16, which `>` in PowerShell writes. */
function isUtf16(content: Buffer): boolean {
  return (content[0] === 0xff && content[1] === 0xfe) || (content[0] === 0xfe && content[1] === 0xff);
}
