import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from './json-bytes.ts';

/**
 * Finds the parts of JSON text, one level at a time, only in text that `JSON.parse` accepts: it does not validate again.
 * `scan.ts` does both, in bytes.
 */

/** A part of a text. */
export interface Span {
  readonly start: number;
  /** One past the last character. */
  readonly end: number;
}

/** The name of a member, and the span of its value. */
export interface Member extends Span {
  readonly key: string;
  readonly keyStart: number;
}

/** Returns the members of the object at `from`, in order, duplicates included. A trailing comma is ignored. */
export function readMembers(json: string, from = 0): Member[] {
  const found: Member[] = [];
  let at = skipWhitespace(json, skipWhitespace(json, from) + 1);
  while (json.charCodeAt(at) === QUOTE) {
    const keyEnd = stringEnd(json, at);
    const key = json.slice(at + 1, keyEnd - 1);
    const start = skipWhitespace(json, skipWhitespace(json, keyEnd) + 1);
    const end = valueEnd(json, start);
    found.push({ key: key.includes('\\') ? String(JSON.parse(`"${key}"`)) : key, keyStart: at, start, end });
    at = skipWhitespace(json, end);
    if (json.charCodeAt(at) === COMMA) at = skipWhitespace(json, at + 1);
  }
  return found;
}

/** Returns the spans of all values with this name in an object, duplicates included. */
export function findMemberValues(json: string, name: string): Span[] {
  return readMembers(json)
    .filter(({ key }) => key === name)
    .map(({ start, end }) => ({ start, end }));
}

/** Returns the elements of the list at `from`, in order. */
export function readElements(json: string, from = 0): Span[] {
  const found: Span[] = [];
  let start = skipWhitespace(json, skipWhitespace(json, from) + 1);
  while (start < json.length && json.charCodeAt(start) !== CLOSE_BRACKET) {
    const end = valueEnd(json, start);
    found.push({ start, end });
    start = skipWhitespace(json, end);
    if (json.charCodeAt(start) === COMMA) start = skipWhitespace(json, start + 1);
  }
  return found;
}

/** Returns the first offset from `from` that is not whitespace. */
export function skipWhitespace(json: string, from: number): number {
  let at = from;
  while (json.charCodeAt(at) <= SPACE) at++;
  return at;
}

/** Returns the end of the value at `from`. */
export function valueEnd(json: string, from: number): number {
  let at = from;
  let depth = 0;
  for (; at < json.length; at++) {
    const code = json.charCodeAt(at);
    if (code === QUOTE) {
      at = stringEnd(json, at) - 1;
      if (depth === 0) return at + 1;
    } else if (code === OPEN_BRACE || code === OPEN_BRACKET) depth++;
    else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) {
      if (depth <= 1) return depth === 1 ? at + 1 : at;
      depth--;
    } else if (depth === 0 && (code === COMMA || code <= SPACE)) return at;
  }
  return at;
}

/** Returns the end of a string. Jumps from quote to quote, because most of a tool's text is in strings. */
export function stringEnd(json: string, from: number): number {
  let quote = json.indexOf('"', from + 1);
  while (quote !== -1 && isEscaped(json, quote)) quote = json.indexOf('"', quote + 1);
  return quote === -1 ? json.length : quote + 1;
}

function isEscaped(json: string, at: number): boolean {
  let before = at;
  while (json.charCodeAt(before - 1) === BACKSLASH) before--;
  return (at - before) % 2 === 1;
}

const SPACE = 32;
const BACKSLASH = 92;
