import { utf16ToString } from './utf16-writer.ts';

/**
 * Replaces every character that matches the pattern with its escape: `\u` and four digits for each UTF-16 unit. For
 * long texts: it tests the pattern once per distinct character. A match for each of millions takes twenty times as
 * long.
 */
export function escapeLongText(text: string, pattern: RegExp): string {
  const answers = new Uint8Array(CODE_POINTS);
  const units = new Uint16Array(MAX_UNITS);
  const pieces: string[] = [];
  let end = 0;
  for (let at = 0; at < text.length; at++) {
    const code = text.codePointAt(at) ?? 0;
    answers[code] ||= String.fromCodePoint(code).search(pattern) === -1 ? UNCHANGED : IS_ESCAPED;
    const put = answers[code] === UNCHANGED ? putUnit : putEscape;
    if (end > MAX_UNITS - MAX_ADDED) {
      pieces.push(utf16ToString(units, end));
      end = 0;
    }
    if (code > 0xffff) end = put(units, end, text.charCodeAt(at++));
    end = put(units, end, text.charCodeAt(at));
  }
  return pieces.join('') + utf16ToString(units, end);
}

const CODE_POINTS = 0x110000;
const UNCHANGED = 1;
const IS_ESCAPED = 2;
const MAX_UNITS = 32 * 1024;
/** The two escapes of a surrogate pair. */
const MAX_ADDED = 12;

function putUnit(units: Uint16Array, at: number, unit: number): number {
  units[at] = unit;
  return at + 1;
}

function putEscape(units: Uint16Array, at: number, unit: number): number {
  units[at] = BACKSLASH;
  units[at + 1] = LETTER_U;
  units[at + 2] = hexDigit(unit >> 12);
  units[at + 3] = hexDigit(unit >> 8);
  units[at + 4] = hexDigit(unit >> 4);
  units[at + 5] = hexDigit(unit);
  return at + 6;
}

const BACKSLASH = 0x5c;
const LETTER_U = 0x75;

function hexDigit(bits: number): number {
  const digit = bits & 0xf;
  return digit + (digit < 10 ? DIGIT_ZERO : LETTER_A - 10);
}

const DIGIT_ZERO = 0x30;
const LETTER_A = 0x61;
